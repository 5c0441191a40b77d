import { useState } from 'preact/hooks'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { forgetFilter, readyFilters, type SavedFilter, savedFilters, saveFilter } from './saved-filters.ts'
import './saved-filters.css'

export function SavedMenu({ filter, onChoose }: { filter: string; onChoose: (filter: string) => void }) {
  const [isNaming, setNaming] = useState(false)
  const choose = (close: () => void) => (chosen: string) => {
    onChoose(chosen)
    close()
  }
  return (
    <>
      <Menu words={t('Saved')} icon="down">
        {(close) => (
          <div class="messages-saved">
            <SavedList
              title={t('Yours')}
              filters={savedFilters.value}
              onChoose={choose(close)}
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
            <SavedList title={t('Ready to use')} filters={readyFilters()} onChoose={choose(close)} />
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
              <code class="cut">{filter}</code>
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

const NAME_ROWS: readonly FormRow[] = [
  {
    name: 'name',
    label: t('Name'),
    error: (name) => (String(name).trim() === '' ? t('Give it a name.') : undefined),
  },
]

function NameDialog({ filter, onClose }: { filter: string; onClose: () => void }) {
  const save = async (_: unknown, { name }: { name?: unknown }) => {
    saveFilter({ name: String(name).trim(), filter })
    return t('Filter kept in this browser')
  }
  return (
    <Dialog title={t('Keep this filter')} onClose={onClose}>
      <p>
        <code>{filter}</code>
      </p>
      <RowsForm
        draftKey="filter-name"
        rows={NAME_ROWS}
        stored={{}}
        save={save}
        action={t('Keep')}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}
