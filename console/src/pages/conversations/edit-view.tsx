import type { ComponentProps } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { BY_ME, BY_NOBODY, INBOX_STATES } from '#portable/inbox-views.ts'
import { hasTeamRole, session } from '../../data/session.ts'
import type { SavedView } from '../../data/unread.ts'
import { isWide } from '../../data/use/media-queries.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { showToastFault } from '../../parts/toast.tsx'
import type { ViewDialog } from './view-dialog.tsx'
import type { View } from './views.ts'

/** The first values of the form of a new view: the view or label that is shown. */
export function makeBlank(
  { id, saved }: View,
  views: readonly View[],
  labelViews: readonly View[],
): Partial<SavedView> {
  if (saved) return { state: saved.state, assignee: saved.assignee, labels: saved.labels }
  if (labelViews.some((one) => one.id === id)) return { labels: [id] }
  if (id === 'mine') return { assignee: BY_ME }
  if (id === 'unassigned') return { assignee: BY_NOBODY }
  if (id in INBOX_STATES) return { state: id as SavedView['state'] }
  return views.some((one) => one.id === id) && !['all', 'mentions'].includes(id)
    ? { assignee: id }
    : {}
}

/** Above the conversations of a saved view: its name, what is deleted of it, and a button to change it. */
export function SavedHead({ shown, onEdit }: { shown: View; onEdit: (view: SavedView) => void }) {
  const { saved, lost } = shown
  const mayEdit = hasTeamRole('admin') || saved?.author === session.value?.sender
  return (
    <div class="conversations-saved">
      <div>
        {isWide.value && <strong>{shown.words}</strong>}
        {lost && <p class="note wrong">{lost}</p>}
      </div>
      {mayEdit && (
        <Button kind="quiet" icon="edit" needs="agent" onClick={() => saved && onEdit(saved)}>
          {t('Change the view')}
        </Button>
      )}
    </div>
  )
}

/** The form of a view, whose code is loaded when it is first opened. */
export function LateViewDialog(props: ComponentProps<typeof ViewDialog>) {
  const [Loaded, setLoaded] = useState<{ readonly Form: typeof ViewDialog }>()
  useEffect(() => {
    import('./view-dialog.tsx').then(
      ({ ViewDialog: Form }) => setLoaded({ Form }),
      (error) => {
        props.onClose()
        showToastFault(error)
      },
    )
  }, [])
  return Loaded ? <Loaded.Form {...props} /> : null
}
