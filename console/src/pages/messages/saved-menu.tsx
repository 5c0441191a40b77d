import { useState } from 'preact/hooks'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { toast } from '../../parts/toast.tsx'
import { forgetFilter, readyFilters, type SavedFilter, savedFilters, saveFilter } from './saved.ts'

/** Saved filters to choose from, and a button to save the current one. */
export function SavedMenu({ filter, onChoose }: { filter: string; onChoose: (filter: string) => void }) {
  const [isNaming, setNaming] = useState(false)
  return (
    <>
      <Menu words={t('Saved')} icon="down">
        {(close) => (
          <div class="messages-saved">
            <SavedList
              title={t('Yours')}
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
              {filter === '' ? t('Apply a filter to keep it here') : t('Keep this filter')}
            </Button>
            <SavedList
              title={t('Ready to use')}
              filters={readyFilters()}
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
                {t('Forget {name}', { name })}
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
    if (name.trim() === '') return setError(t('Give it a name.'))
    saveFilter({ name: name.trim(), filter })
    toast(t('Filter kept in this browser'))
    onClose()
  }
  return (
    <Dialog title={t('Keep this filter')} onClose={onClose}>
      <Form onSubmit={save}>
        <p>
          <code>{filter}</code>
        </p>
        <TextField label={t('Name')} name="name" value={name} onValue={setName} error={error} />
        <FormActions onCancel={onClose}>{t('Keep')}</FormActions>
      </Form>
    </Dialog>
  )
}
