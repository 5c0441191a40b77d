import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { columnName, quote, tableName } from '../collections/names.ts'
import { columnsOf, type RecordRow } from '../records/columns.ts'
import { blankValues } from '../records/input/prepare.ts'
import { renderRecord } from '../records/render/render.ts'
import { statementName } from '../records/select.ts'
import { memoize } from '../tools/memoize.ts'
import { isSecret } from './secrets.ts'

/** Why deliveries end without an answer. */
export const END_REASONS = {
  disabled: 'The webhook is disabled',
  gone: 'The receiver answered 410: the webhook was disabled',
  unsigned: 'The webhook has no secret, rotate it',
} as const

/** The collection whose records are told of. */
const MESSAGES = 'sms_messages'

/** A delivery whose time has come. */
export interface DueDelivery {
  readonly delivery: string
  readonly user: string
  readonly webhook: string
  /** The webhook-id: the same at every attempt. */
  readonly eventId: string
  /** How many attempts there were. */
  readonly attempts: number
  readonly url: string
  /** Why nothing may be sent; undefined if it may. */
  readonly closed: string | undefined
  /** Those that count now, the newest first. */
  readonly secrets: readonly string[]
  /** The JSON that is sent, to the letter the same at every attempt. */
  readonly body: string
}

/** Everything that an attempt needs, in one look; undefined when there is nothing left to do. */
export async function findDue(store: Store, delivery: string): Promise<DueDelivery | undefined> {
  const messages = messagesOf(store)
  const { select, count } = columnsOf(messages)
  const text = `select ${select}, d."user", d.webhook, d.event_id, d.event, d.attempts, w.url,
      w.enabled and w."user" = d."user", w.secret, case when r.until > now() then w.previous_secret else '' end,
      extract(epoch from p.at)::float8
    from webhook_deliveries d
    join webhooks w on w.id = d.webhook
    join webhook_payloads p on p.delivery = d.id
    left join webhook_rotations r on r.webhook = w.id
    cross join lateral json_populate_record(
      json_populate_record(null::${quote(tableName(messages))}, $2), p.image) b
    where d.id = $1 and d.status = 'pending'`
  const { rows } = await store.db.query(
    text,
    [delivery, blankRow(messages)],
    statementName(store.catalog, text),
  )
  const row = rows[0]
  if (!row) return undefined
  const [user, webhook, eventId, event, attempts, url, isOpen, secret, previous, at] = row.slice(count) as [
    string,
    string,
    string,
    string,
    number,
    string,
    boolean,
    string,
    string,
    number,
  ]
  const body = bodyOf(event, new Date(at * 1000), messages, row as RecordRow)
  const secrets = [secret, previous].filter(isSecret)
  const closed = isOpen ? (secrets.length > 0 ? undefined : END_REASONS.unsigned) : END_REASONS.disabled
  return { delivery, user, webhook, eventId, attempts, url, closed, secrets, body }
}

/** A row without values, as JSON: what fields hold that the collection has got since the event. */
const blankRow = memoize((messages: Collection): string => {
  const values = Object.entries(blankValues(messages))
  return JSON.stringify(Object.fromEntries(values.map(([name, value]) => [columnName(name), value])))
})

/** The message in it is as its owner sees it through the record API. */
function bodyOf(event: string, at: Date, messages: Collection, row: RecordRow): string {
  const data = renderRecord(messages, row, { showsHidden: false, showsEmail: false })
  return `{"type":${JSON.stringify(event)},"timestamp":"${at.toISOString()}","data":${data}}`
}

function messagesOf(store: Store): Collection {
  const messages = store.catalog.find(MESSAGES)
  if (!messages) throw new Error(`The collection ${MESSAGES} is missing`)
  return messages
}
