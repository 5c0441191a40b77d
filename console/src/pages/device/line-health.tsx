import { pb } from '../../data/client.ts'
import type { LineUse } from '../../data/device/device-states.ts'
import type { Line, Message } from '../../data/record-types.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { FAILED_FILTER } from '../../data/words/message-states.ts'
import { t, tn, tx } from '../../language/words.ts'
import { Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

/** How often the health of a line is read, in ms. */
const EVERY_MS = 30_000

/** The path of one message of a filter. `counted`: with the number of all of them. */
function makeMessageHref(filter: string, counted: boolean): string {
  const query = { filter, sort: '-created', perPage: '1', fields: 'sent_at' }
  const asked = new URLSearchParams({ ...query, skipTotal: counted ? '0' : '1' })
  return `/api/collections/sms_messages/records?${asked}`
}

interface Found {
  readonly totalItems: number
  readonly items: readonly Pick<Message, 'sent_at'>[]
}

/** Midnight in the time zone of the browser. */
const formatStartOfToday = () =>
  new Date(new Date().setHours(0, 0, 0, 0)).toISOString().replace('T', ' ')

/** How much of a line waits, when it last sent, and its failures of today. */
export function LineHealth({ line, use }: { line: Line; use: LineUse | undefined }) {
  const ofLine = pb.filter('line = {:id}', { id: line.id })
  const failed = `${ofLine} && ${FAILED_FILTER} && created >= "${formatStartOfToday()}"`
  const last = useAnswer<Found>(makeMessageHref(`${ofLine} && sent_at != ""`, false), EVERY_MS)
  const failures = useAnswer<Found>(makeMessageHref(failed, true), EVERY_MS).value?.totalItems ?? 0
  const waiting = use?.waiting ?? 0
  const sentAt = last.value?.items[0]?.sent_at
  return (
    <p class="row device-line-facts">
      {waiting > 0 && <span>{tn('1 text waits', '{count} texts wait', waiting)}</span>}
      <span>
        {sentAt
          ? tx('Last sent {when}', { when: <Time at={sentAt} /> })
          : last.value && t('Has sent nothing yet')}
      </span>
      {failures > 0 && (
        <a href={makePageHref('/messages', { filter: failed })}>
          {tn('1 failed today', '{count} failed today', failures)}
        </a>
      )}
    </p>
  )
}
