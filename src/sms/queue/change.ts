import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { isOwnedBy, objectsOf, unindexed } from '../../db/statement.ts'
import { formatDate } from '../../fields/date.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import { countSegments } from '../../portable/segments.ts'
import { MAX_CHARACTERS } from '../send/body.ts'
import { COMMON, date } from '../send/body-schema.ts'
import { checkShape } from '../send/check-shape.ts'
import { checkLength } from '../send/content.ts'
import { checkExpiry, END_OF_TIME, expiresBeforeDue, future } from '../send/expiry.ts'
import {
  CAMPAIGN_OF_TEXT,
  isAllowed,
  limitsSql,
  may,
  ownedByCampaign,
  type Permit,
  refusalOf,
  refusalSql,
  requireOwnBatch,
  senderParam,
} from '../send/judge.ts'
import { gatewayRefusal, invalid } from '../send/refusals.ts'
import { visibleText } from '../send/schemas.ts'
import type { Sender } from '../send/sender.ts'
import { eventsCte } from '../status.ts'
import { BATCH, countBatch } from './cancel.ts'
import { noteChangeCte } from './note-change.ts'

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

/** The parameters $1 to $9 of `plannedChangeCtes`. The parameters of its `source` begin with $10. */
const changeParams = (permit: Permit, change: Change): unknown[] => {
  const { sender } = permit
  const { scheduledAt, expiresAt, ttl, body, segments, priority } = change
  const given = [scheduledAt, expiresAt, ttl, body, segments, priority]
  return [sender.user, ...given, senderParam(permit), isAllowed(sender, 'cancel')]
}

/**
 * CTEs that plan and judge a change of a user's waiting messages. `source`: a condition on the queue row `d`
 * and message `m`. In the last CTE, `wanted`, `what` lists the changes, `unfit` means that the message would
 * expire before it is due, and `refusal` is the judge's. An earlier end cancels, so it needs that scope, too.
 */
const plannedChangeCtes = (source: string) => `
waiting as (
  select d.message, d.device, d.due_at, d.waiting_for, d.expires_at, d.priority, m.body, m.segments, m.sent_by,
    ${refusalSql('change', '$8')} as refusal
  from sms_messages m join sms_dispatch d on d.message = m.id cross join ${limitsSql('$8')} l
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
  select e.message, e.device, e.sent_by, e.due, e.ends, coalesce($7::int, e.priority) as next_priority,
    case when $2::text is null then e.waiting_for else '' end as waits_for,
    coalesce($5::text, e.body) as next_body, coalesce($6::float8, e.segments) as next_segments,
    coalesce($2::text, $3::text, $4::int::text) is not null and e.ends <= greatest(e.counted_from, now()) as unfit,
    case when not $9::bool and coalesce(e.ends, 'infinity') < coalesce(e.expires_at, 'infinity') then 'scope'
      else e.refusal end as refusal,
    concat_ws(', ',
      case when e.due <> e.due_at then 'time' end,
      case when e.ends is distinct from e.expires_at then 'expiry' end,
      case when $5::text <> e.body then 'text' end,
      case when $7::int <> e.priority then 'priority' end
    ) as what
  from ended e
)`

const BY = `$8::json ->> 'by'`

/** What the audit log says about a change: see `noteChangeCte`. */
type Noted = Omit<Parameters<typeof noteChangeCte>[1], 'user' | 'by'>

/**
 * SQL that applies and audits a planned change, or nothing if a message is `unfit` or the judge refuses it.
 * `answer`: its final SELECT.
 */
const changeSql = (source: string, noted: Noted, answer: string) => `
with ${plannedChangeCtes(source)}, fit as (
  select * from wanted where what <> '' and not exists (select from wanted where unfit or refusal is not null)
), moved as (
  update sms_dispatch d set due_at = f.due, expires_at = f.ends, priority = f.next_priority,
    waiting_for = f.waits_for
  from fit f where d.message = f.message
), changed as (
  update sms_messages m set scheduled_at = case when f.waits_for = '' then pb_text(f.due) else m.scheduled_at end,
    expires_at = coalesce(pb_text(f.ends), ''), waiting_for = f.waits_for, priority = f.next_priority,
    body = f.next_body, segments = f.next_segments, updated = pb_text(now())
  from fit f where m.id = f.message returning m.id
), ${eventsCte(`$1, message, 'pending', device, 0, 'Changed: ' || what`, 'fit', BY)},
${noteChangeCte('fit', { ...noted, user: '$1', by: `(${BY})` })}
${answer}`

/** The body of a request to change a message. Absent fields and `null` change nothing. */
export const MESSAGE_CHANGE = z
  .strictObject({
    scheduled_at: COMMON.scheduled_at,
    expires_at: COMMON.expires_at.describe(
      'The end: a message that no device has claimed by then ends as `failed`. Empty: no end. Excludes `ttl`.',
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
  'm.id = $10 for update of d, m',
  { action: 'change', record: '$10', fields: `array_to_json(string_to_array(max(what), ', '))` },
  `select unfit, refusal, pb_text(due) as scheduled_at, coalesce(pb_text(ends), '') as expires_at,
    next_priority as priority, next_segments as segments from wanted`,
)

/** Parses a change. Throws 400 `invalid_request` for the first wrong field, or 400 `body_too_long`. */
export function readChange(raw: unknown, now: Date): Change {
  const given = checkShape(MESSAGE_CHANGE, raw)
  const change = changeOf(given, now)
  if (Object.values(change).every((part) => part === null))
    throw invalid('scheduled_at, expires_at, ttl, body or priority must be given')
  return change
}

/** Reads dates as a send does: a past `scheduled_at` means now, and the expiry must be later than that. */
function changeOf(given: Partial<z.output<typeof MESSAGE_CHANGE>>, now: Date): Change {
  const { scheduled_at, expires_at, ttl, body, priority } = given
  if (body != null) checkLength(body)
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

/** Changes a scheduled message. Idempotent. Throws 403, 404, 409, 400 `invalid_request`, StaleAuth. */
export async function changeMessage({ db }: Store, permit: Permit, id: string, change: Change) {
  type Wanted = Omit<Changed, 'id' | 'status'> & Verdict
  const [found] = objectsOf<Wanted>(await db.query(CHANGE, [...changeParams(permit, change), id]))
  if (!found) throw await whyNot(db, permit.sender.user, id)
  const { unfit, refusal, ...changed } = found
  throwFault(permit, { unfit, refusal })
  return { id, status: 'pending', ...changed }
}

/** `refusal`: that of the judge, or `scope` for a caller who may not cancel. */
interface Verdict {
  readonly unfit: boolean
  readonly refusal: string | null
}

function throwFault({ sender }: Permit, { unfit, refusal }: Verdict): void {
  if (refusal === 'scope') may(sender, 'cancel')
  if (refusal !== null) throw refusalOf(sender, refusal)
  if (unfit) throw expiresBeforeDue()
}

const LOOK = `
select case when exists (${CAMPAIGN_OF_TEXT}) then m.sent_by else '' end
from sms_messages m where id = $1 and ${isOwnedBy('m', '$2')}`

async function whyNot(db: Db, user: string, id: string): Promise<Error> {
  const { rows } = await db.query(LOOK, [id, user], 'sms changed message')
  if (!rows[0]) return gatewayRefusal('message_not_found')
  return rows[0][0] ? ownedByCampaign(String(rows[0][0])) : gatewayRefusal('not_changeable')
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

const OF_BATCH = `m.batch_id = $10 and m.batch_id <> ''`

const FAULT = `
with ${plannedChangeCtes(OF_BATCH)}
select count(*), bool_or(unfit), max(refusal) from wanted`

const SOME = changeSql(
  `${OF_BATCH} and d.message > $11 order by d.message limit ${MAX_ROWS} for update of d, m`,
  { action: 'reschedule', record: '$10', fields: `'[]'::json` },
  `select max(message), count(*) filter (where what <> ''), bool_or(unfit), max(refusal) from wanted`,
)

/** Parses a reschedule. Throws 400 `invalid_request` that names the first wrong field. */
export const readReschedule = (raw: unknown, now: Date): Change => changeOf(checkShape(RESCHEDULE, raw), now)

/**
 * Reschedules a batch's waiting messages. Idempotent. Throws 403, 404, 409; 400 if a message would expire
 * before it is due, or if they are more than the sender may change at once.
 */
export async function rescheduleBatch(store: Store, sender: Sender, batchId: string, change: Change) {
  const permit = await requireBatch(store, sender, batchId, change)
  let rescheduled = 0
  for (let last: string | null = ''; last !== null; ) {
    const some: Some = await rescheduleSome(store.db, permit, batchId, change, last)
    rescheduled += some.changed
    last = some.last
  }
  return { ...(await countBatch(store, sender.user, batchId)), rescheduled }
}

/** Judges the change of a whole batch before the first message is changed. */
async function requireBatch({ db }: Store, sender: Sender, batchId: string, change: Change) {
  const permit = may(sender, 'change')
  await requireOwnBatch(db, permit, batchId)
  const { rows } = await db.query(FAULT, [...changeParams(permit, change), batchId])
  const [messages, unfit, refusal] = rows[0] as [number, boolean, string | null]
  throwFault(permit, { unfit, refusal })
  return may(sender, 'change', Number(messages))
}

interface Some {
  /** The last message of those that were found; null if there is none left. */
  readonly last: string | null
  readonly changed: number
}

async function rescheduleSome(db: Db, permit: Permit, batchId: string, change: Change, after: string) {
  const { rows } = await db.query(SOME, [...changeParams(permit, change), batchId, after])
  type Row = [last: string | null, changed: number, unfit: boolean, refusal: string | null]
  const [last, changed, unfit, refusal] = rows[0] as Row
  // another request has changed the messages since they were checked
  throwFault(permit, { unfit, refusal })
  return { last, changed: Number(changed) }
}
