import { hasTeamRole } from '../../data/session.ts'
import { parseDate } from '../../data/text/local-time.ts'
import type { Task } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { makePageHref } from '../../router.ts'
import { formatDateTime } from '../time.tsx'
import { Button, Notice } from './form.tsx'
import './send-notices.css'

/** Shows "Sending in 8 s" and a button that undoes the send. `left`: seconds. */
export const HoldNotice = ({ left, undo }: { left: number; undo: Task<[]> }) => (
  <Notice kind="warning">
    <span class="hold">
      <strong role="timer">{t('Sending in {left} s', { left })}</strong>
      <Button icon="again" task={undo}>
        {t('Undo')}
      </Button>
    </span>
    {undo.fault && <p role="alert">{undo.fault.message}</p>}
  </Notice>
)

/** Shown before a send if all devices of the user are simulated. */
export const OnlySimulated = () => (
  <Notice kind="warning">
    {t('Your devices are all simulated: nobody gets these texts.')}{' '}
    {hasTeamRole('admin') && <a href={makePageHref('/devices')}>{t('Add a real phone.')}</a>}
  </Notice>
)

const HOUR_MS = 3_600_000

/**
 * Shows when the last text of a send leaves, if that is over an hour after the first: the limits of SIMs can
 * spread large sends over days. `dueAt`: when the first text is due, '' for now.
 */
export function LastLeaves({ at, dueAt }: { at: string; dueAt: string }) {
  const due = Math.max(Date.now(), parseDate(dueAt) || 0)
  if (!(parseDate(at) > due + HOUR_MS)) return null
  return (
    <span>
      {t('The last one is sent about {time}, when the lines have room.', {
        time: formatDateTime(at),
      })}
    </span>
  )
}
