import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { rememberForPerson } from '../../data/remember-for-person.ts'
import { FAILED_FILTER } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import './saved-filters.css'

export function SavedMenu({
  filter,
  onChoose,
}: {
  filter: string
  onChoose: (filter: string) => void
}) {
  const [isNaming, setNaming] = useState(false)
  const choose = (close: () => void) => (chosen: string) => {
    onChoose(chosen)
    close()
  }
  return (
    <>
      <Menu words={t('Saved#filters')} icon="down">
        {(close) => (
          <div class="messages-saved">
            <SavedList
              title={t('Your filters')}
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
              {filter === '' ? t('Apply a filter to save it here') : t('Save this filter')}
            </Button>
            <SavedList
              title={t('Ready to use')}
              filters={listReadyFilters()}
              onChoose={choose(close)}
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
              <code class="cut">{filter}</code>
            </button>
            {onForget && (
              <Button kind="quiet" icon="trash" iconOnly onClick={() => onForget(name)}>
                {t('Delete {name}', { name })}
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
    return t('Filter saved in this browser')
  }
  return (
    <Dialog title={t('Save this filter')} onClose={onClose}>
      <p>
        <code>{filter}</code>
      </p>
      <RowsForm
        draftKey="filter-name"
        rows={NAME_ROWS}
        stored={{}}
        save={save}
        action={t('Save')}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}

interface SavedFilter {
  readonly name: string
  readonly filter: string
}

function writeFailedToday(): string {
  const start = new Date().setHours(0, 0, 0, 0)
  return pb.filter(`${FAILED_FILTER} && created >= {:start}`, { start: new Date(start) })
}

const listReadyFilters = (): readonly SavedFilter[] => [
  { name: t('Failed today'), filter: writeFailedToday() },
  {
    name: t('Still on the way'),
    filter: 'status = "pending" || status = "assigned" || status = "sending"',
  },
  { name: t('Outcome unknown'), filter: 'error_message ~ "Outcome unknown"' },
  {
    name: t('Came in since yesterday'),
    filter: 'message_type = "incoming" && created >= @yesterday',
  },
  { name: t('Long texts'), filter: 'segments > 3' },
  {
    name: t('Failed once, sent later'),
    filter: 'sms_events_via_message.status ?= "failed" && status != "failed"',
  },
  { name: t('Sent, never confirmed'), filter: 'status = "sent" && sent_at < @yesterday' },
]

const savedFilters = rememberForPerson<readonly SavedFilter[]>('filters', [])

function saveFilter(saved: SavedFilter): void {
  const others = savedFilters.value.filter(({ name }) => name !== saved.name)
  savedFilters.value = [...others, saved].sort((a, b) => a.name.localeCompare(b.name))
}

function forgetFilter(name: string): void {
  savedFilters.value = savedFilters.value.filter((each) => each.name !== name)
}
