import { BY_ME, BY_NOBODY } from '#portable/inbox-views.ts'
import type { People } from '../../data/team/people.ts'
import type { SavedView } from '../../data/unread.ts'
import { t } from '../../language/words.ts'
import { Dialog, deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import type { Inbox } from './use-inbox.ts'

/** Creates a saved view, at first with `blank`, or changes one. `onSaved` gets its id; '' once deleted. */
export function ViewDialog({
  saved,
  blank,
  inbox,
  people,
  onSaved,
  onClose,
}: {
  saved: SavedView | undefined
  blank: Partial<SavedView>
  inbox: Inbox
  people: People
  onSaved: (id: string) => void
  onClose: () => void
}) {
  // a deleted label would not be among the choices, and could not be taken out
  const labels = blank.labels?.filter((id) => inbox.labels.some((label) => label.id === id)) ?? []
  const close = (id: string) => {
    onSaved(id)
    onClose()
  }
  return (
    <Dialog title={saved ? t('Change the view') : t('New view')} onClose={onClose}>
      <RecordForm
        collection="inbox_views"
        record={saved}
        rows={makeViewRows(saved, inbox, people)}
        blank={{ state: 'open', assignee: '', sort: 'newest', shared: false, ...blank, labels }}
        saved={saved ? t('View saved') : t('View created')}
        onSaved={({ id }) => close(id)}
        onCancel={onClose}
      >
        {saved && (
          <Button
            kind="quiet"
            icon="trash"
            onClick={() =>
              void deleteRecord(
                { collectionName: 'inbox_views', id: saved.id },
                {
                  title: t('Delete the view {name}?', { name: saved.name }),
                  text: t('Its conversations stay.'),
                },
                t('View deleted'),
                () => close(''),
              )
            }
          >
            {t('Delete the view')}
          </Button>
        )}
      </RecordForm>
    </Dialog>
  )
}

function makeViewRows(
  saved: SavedView | undefined,
  { labels }: Inbox,
  { hasTeam, agents }: People,
): readonly FormRow[] {
  const lost = (saved?.labels ?? []).filter((id) => !labels.some((label) => label.id === id))
  const isGone =
    saved &&
    !['', BY_ME, BY_NOBODY].includes(saved.assignee) &&
    !agents.some(({ id }) => id === saved.assignee)
  return [
    { name: 'name', label: t('Name'), autofocus: true },
    {
      name: 'state',
      label: t('Conversations'),
      choices: [
        ['open', t('All#conversations')],
        ['waiting', t('Waiting')],
        ['failed', t('Failed#conversations')],
        ['unread', t('Unread')],
        ['follow_up', t('Follow-up')],
        ['archived', t('Archived')],
        ['blocked', t('Blocked#conversations')],
      ],
    },
    {
      name: 'assignee',
      label: t('Assigned to'),
      shown: () => hasTeam,
      choices: [
        ['', t('Anyone')],
        [BY_ME, t('Whoever opens the view')],
        [BY_NOBODY, t('Nobody')],
        ...agents.map(({ id, name }) => [id, name] as const),
        ...(isGone ? [[saved.assignee, t('A former member')] as const] : []),
      ],
    },
    {
      name: 'labels',
      label: t('With one of these labels (none: all)'),
      kind: 'checks',
      shown: () => labels.length + lost.length > 0,
      choices: [
        ...labels.map(({ id, name }) => [id, name] as const),
        ...lost.map((id) => [id, t('A deleted label')] as const),
      ],
    },
    {
      name: 'sort',
      label: t('Order'),
      choices: [
        ['newest', t('Newest text first')],
        ['oldest', t('Oldest text first')],
        ['follow_up', t('By follow-up')],
      ],
    },
    { name: 'shared', label: t('For the whole team'), shown: () => hasTeam },
  ]
}
