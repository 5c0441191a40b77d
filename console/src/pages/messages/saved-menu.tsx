import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { toast } from '../../parts/toast.tsx'
import { forgetFilter, READY, type SavedFilter, savedFilters, saveFilter } from './saved.ts'

/** Filters to choose from, and the present one to keep. */
export function SavedMenu({ filter, onChoose }: { filter: string; onChoose: (filter: string) => void }) {
  const [isNaming, setNaming] = useState(false)
  return (
    <>
      <Menu words="Saved" icon="down">
        {(close) => (
          <div class="messages-saved">
            <SavedList
              title="Yours"
              filters={savedFilters.value}
              onChoose={(chosen) => {
                onChoose(chosen)
                close()
              }}
              onForget={forgetFilter}
            />
            <Button
              kind="quiet"
              icon="plus"
              disabled={filter === ''}
              onClick={() => {
                close()
                setNaming(true)
              }}
            >
              {filter === '' ? 'Apply a filter to keep it here' : 'Keep this filter'}
            </Button>
            <SavedList
              title="Ready to use"
              filters={READY}
              onChoose={(chosen) => {
                onChoose(chosen)
                close()
              }}
            />
          </div>
        )}
      </Menu>
      {isNaming && <NameDialog filter={filter} onClose={() => setNaming(false)} />}
    </>
  )
}

function SavedList({
  title,
  filters,
  onChoose,
  onForget,
}: {
  title: string
  filters: readonly SavedFilter[]
  onChoose: (filter: string) => void
  onForget?: (name: string) => void
}) {
  if (filters.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {filters.map(({ name, filter }) => (
          <li key={name}>
            <button type="button" onClick={() => onChoose(filter)}>
              <span>{name}</span>
              <code>{filter}</code>
            </button>
            {onForget && (
              <Button kind="quiet" icon="trash" iconOnly onClick={() => onForget(name)}>
                {`Forget ${name}`}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function NameDialog({ filter, onClose }: { filter: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const save = () => {
    if (name.trim() === '') return setError('Give it a name.')
    saveFilter({ name: name.trim(), filter })
    toast('Filter kept in this browser')
    onClose()
  }
  return (
    <Dialog title="Keep this filter" onClose={onClose}>
      <Form onSubmit={save}>
        <p>
          <code>{filter}</code>
        </p>
        <TextField label="Name" name="name" value={name} onValue={setName} error={error} />
        <Actions>
          <Button type="submit" kind="primary">
            Keep
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
