import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy, objectsOf, unindexed } from '../../db/statement.ts'
import { formatDate } from '../../fields/date.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import { countSegments } from '../../portable/segments.ts'
import {
  COMMON,
  checkExpiry,
  date,
  END_OF_TIME,
  expiresBeforeDue,
  future,
  MAX_CHARACTERS,
} from '../send/body.ts'
import { checkLength } from '../send/content.ts'
import { checkShape, gatewayRefusal, invalid, visibleText } from '../send/shape.ts'
import { eventsCte } from '../status.ts'
import { BATCH, countBatch } from './cancel.ts'

/** A change of scheduled messages. Null keeps the present value. */
export interface Change {
  /** A PocketBase date; '' for now. */
  readonly scheduledAt: string | null
  /** A PocketBase date; '' for never. */
  readonly expiresAt: string | null
  /** Expiry in seconds after the message is due. */
  readonly ttl: number | null
  readonly body: string | null
  readonly segments: number | null
  readonly priority: number | null
}

/** The parameters $1 to $7 of `plannedChangeCtes`. The parameters of its `source` begin with $8. */
const changeParams = (user: string, change: Change): unknown[] => {
  const { scheduledAt, expiresAt, ttl, body, segments, priority } = change
  return [user, scheduledAt, expiresAt, ttl, body, segments, priority]
}

/**
 * CTEs that plan a change of a user's waiting messages, except those of paused campaigns. `source`: a
 * condition on the queue row `d` and message `m`. In the last CTE, `wanted`, `what` lists the changes, and
 * `unfit` means that the message would expire before it is due.
 */
const plannedChangeCtes = (source: string) => `
waiting as (
  select d.message, d.device, d.due_at, d.waiting_for, d.expires_at, d.priority, m.body, m.segments
  from sms_messages m join sms_dispatch d on d.message = m.id
  where ${isOwnedBy('m', '$1')} and ${isOwnedBy('d', '$1')} and ${unindexed('m.status')} = 'pending' and ${unindexed('d.state')} = 'pending' and d.due_at < 'infinity' and d.sealed is null and ${source}
), timed as (
  select w.*, case when $2::text = '' then date_trunc('milliseconds', now())
    else coalesce(nullif($2::text, '')::timestamptz, w.due_at) end as due
  from waiting w
), counted as (
  select t.*, case when $2::text is null and t.waiting_for <> '' then now() else t.due end as counted_from
  from timed t
), ended as (
  select t.*, case
      when $4::int is not null
        then least(t.counted_from + $4::int * interval '1 second', '${END_OF_TIME}'::timestamptz)
      when $3::text = '' then null
      else coalesce(nullif($3::text, '')::timestamptz, t.expires_at)
    end as ends
  from counted t
), wanted as (
  select e.message, e.device, e.due, e.ends, coalesce($7::int, e.priority) as next_priority,
    case when $2::text is null then e.waiting_for else '' end as waits_for,
    coalesce($5::text, e.body) as next_body, coalesce($6::float8, e.segments) as next_segments,
    coalesce($2::text, $3::text, $4::int::text) is not null and e.ends <= greatest(e.counted_from, now()) as unfit,
    concat_ws(', ',
      case when e.due <> e.due_at then 'time' end,
      case when e.ends is distinct from e.expires_at then 'expiry' end,
      case when $5::text <> e.body then 'text' end,
      case when $7::int <> e.priority then 'priority' end
    ) as what
  from ended e
)`

/** SQL that applies a planned change, or nothing if a message is `unfit`. `answer`: its final SELECT. */
const changeSql = (source: string, answer: string) => `
with ${plannedChangeCtes(source)}, fit as (
  select * from wanted where what <> '' and not exists (select from wanted where unfit)
), moved as (
  update sms_dispatch d set due_at = f.due, expires_at = f.ends, priority = f.next_priority,
    waiting_for = f.waits_for
  from fit f where d.message = f.message
), changed as (
  update sms_messages m set scheduled_at = case when f.waits_for = '' then pb_text(f.due) else m.scheduled_at end,
    expires_at = coalesce(pb_text(f.ends), ''), waiting_for = f.waits_for, priority = f.next_priority,
    body = f.next_body, segments = f.next_segments, updated = pb_text(now())
  from fit f where m.id = f.message returning m.id
), ${eventsCte(`$1, message, 'pending', device, 0, 'Changed: ' || what`, 'fit')}
${answer}`

/** The body of a request to change a message. Absent fields and `null` change nothing. */
export const MESSAGE_CHANGE = z
  .strictObject({
    scheduled_at: COMMON.scheduled_at,
    expires_at: COMMON.expires_at.describe(
      'Not after this instant: what no device has taken by then ends as `failed`. Empty: without an end. Excludes `ttl`.',
    ),
    ttl: COMMON.ttl,
    body: visibleText()
      .nullish()
      .meta({ maxLength: MAX_CHARACTERS, description: 'The text, in Unicode characters.' }),
    priority: COMMON.priority.describe('Higher goes first.'),
  })
  .meta({ id: 'MessageChange' })

/** A changed message in an answer, without the text, because API keys may not read messages. */
type Changed = Readonly<z.output<typeof CHANGED>>
export const CHANGED = z
  .object({
    id: z.string(),
    status: z.literal('pending'),
    scheduled_at: INSTANT,
    expires_at: INSTANT_OR_EMPTY,
    priority: z.int(),
    segments: z.int().min(0),
  })
  .meta({ id: 'ChangedMessage' })

const CHANGE = changeSql(
  'm.id = $8 for update of d, m',
  `select unfit, pb_text(due) as scheduled_at, coalesce(pb_text(ends), '') as expires_at,
    next_priority as priority, next_segments as segments from wanted`,
)

/** Parses a change. Throws 400 `invalid_request` for the first wrong field, or 400 `body_too_long`. */
export function readChange(raw: unknown, now: Date): Change {
  const given = checkShape(MESSAGE_CHANGE, raw)
  const change = changeOf(given, now)
  if (Object.values(change).every((part) => part === null))
    throw invalid('scheduled_at, expires_at, ttl, body or priority must be given')
  if (change.body !== null) checkLength(change.body)
  return change
}

/** Reads dates as a send does: a past `scheduled_at` means now, and the expiry must be later than that. */
function changeOf(given: Partial<z.output<typeof MESSAGE_CHANGE>>, now: Date): Change {
  const { scheduled_at, expires_at, ttl, body, priority } = given
  const scheduledAt = scheduled_at == null ? null : future(scheduled_at, now)
  checkExpiry({ ttl, expires_at }, scheduledAt || formatDate(now))
  return {
    scheduledAt,
    expiresAt: expires_at ?? null,
    ttl: ttl ?? null,
    body: body ?? null,
    segments: body == null ? null : countSegments(body).segments,
    priority: priority ?? null,
  }
}

/** Changes a scheduled message. Idempotent. Throws 404, 409 `not_changeable`, 400 `invalid_request`. */
export async function changeMessage({ db }: Store, user: string, id: string, change: Change) {
  type Wanted = Omit<Changed, 'id' | 'status'> & { readonly unfit: boolean }
  const [found] = objectsOf<Wanted>(await db.query(CHANGE, [...changeParams(user, change), id]))
  if (!found) throw await whyNot(db, user, id)
  const { unfit, ...wanted } = found
  if (unfit) throw expiresBeforeDue()
  return { id, status: 'pending', ...wanted }
}

async function whyNot(db: Store['db'], user: string, id: string): Promise<Error> {
  const look = `select 1 from sms_messages m where id = $1 and ${isOwnedBy('m', '$2')}`
  const { rows } = await db.query(look, [id, user], 'sms changed message')
  return gatewayRefusal(rows[0] ? 'not_changeable' : 'message_not_found')
}

export const RESCHEDULE = z
  .strictObject({
    scheduled_at: date().describe('Not before this instant. One that is past means now.'),
    expires_at: MESSAGE_CHANGE.shape.expires_at,
    ttl: COMMON.ttl,
  })
  .meta({ id: 'Reschedule' })

export const RESCHEDULED_BATCH = BATCH.extend({
  rescheduled: z.int().min(0).describe('Messages that this request has changed.'),
}).meta({ id: 'RescheduledBatch' })

/** Maximum messages per statement: cancellations and the sweep of the queue wait until it ends. */
const MAX_ROWS = 1_000

const OF_BATCH = `m.batch_id = $8 and m.batch_id <> ''`

const FAULT = `with ${plannedChangeCtes(OF_BATCH)} select 1 from wanted where unfit limit 1`

const SOME = changeSql(
  `${OF_BATCH} and d.message > $9 order by d.message limit ${MAX_ROWS} for update of d, m`,
  `select max(message), count(*) filter (where what <> ''), bool_or(unfit) from wanted`,
)

/** Parses a reschedule. Throws 400 `invalid_request` that names the first wrong field. */
export const readReschedule = (raw: unknown, now: Date): Change => changeOf(checkShape(RESCHEDULE, raw), now)

/**
 * Reschedules a batch's waiting messages. Idempotent. Throws 404; 400 if a message would expire
 * before it is due.
 */
export async function rescheduleBatch(store: Store, user: string, batchId: string, change: Change) {
  const params = [...changeParams(user, change), batchId]
  const fault = await store.db.query(FAULT, params)
  if (fault.rows[0]) throw expiresBeforeDue()
  let rescheduled = 0
  for (let last = ''; ; ) {
    const { rows } = await store.db.query(SOME, [...params, last])
    const [max, changed, unfit] = rows[0] as [string | null, number, boolean]
    // another request has changed the messages since they were checked
    if (unfit) throw expiresBeforeDue()
    if (max === null) break
    rescheduled += Number(changed)
    last = max
  }
  return { ...(await countBatch(store, user, batchId)), rescheduled }
}
