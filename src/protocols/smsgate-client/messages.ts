import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { isOwnedBy } from '../../db/statement.ts'
import { dateOf } from '../../fields/date.ts'
import { cancelBatch, cancelOnce } from '../../sms/queue/cancel.ts'
import type { Permit } from '../../sms/send/judge.ts'
import { gatewayRefusal, invalid } from '../../sms/send/refusals.ts'
import { REASONS } from '../../sms/status.ts'
import { dateIn, deviceIn, flagIn, numberIn } from './request.ts'

/** SQL: SMSGate's state of a message, the row `alias`. No message here is ever `Cancelling`. */
const stateSql = (alias: string) => `case
  when ${alias}.status in ('pending', 'assigned') then 'Pending'
  when ${alias}.status = 'sending' then 'Processed'
  when ${alias}.status = 'sent' then 'Sent'
  when ${alias}.status = 'delivered' then 'Delivered'
  when ${alias}.error_message = '${REASONS.canceled}' then 'Cancelled'
  else 'Failed' end`

/** SQL aggregate: the state of a send, from the `state` of its messages, by the rules of SMSGate's app. */
const WHOLE_STATE = `case
  when bool_or(state = 'Pending') then 'Pending'
  when bool_or(state = 'Cancelled') then 'Cancelled'
  when bool_or(state = 'Processed') then 'Processed'
  when bool_and(state = 'Failed') then 'Failed'
  when bool_and(state = 'Delivered') then 'Delivered'
  else 'Sent' end`

const EVENT_STATE = `case e.status
  when 'sending' then 'Processed' when 'sent' then 'Sent' when 'delivered' then 'Delivered'
  when 'failed' then case e.detail when '${REASONS.canceled}' then 'Cancelled' else 'Failed' end end`

/**
 * SQL: the messages of the send `s` of user $1. `between` makes Postgres use the index of batch_id: for `=`
 * it would read the whole table, since most messages have no batch.
 */
const MESSAGES_OF_SEND = `
  select a.* from sms_messages a where not s.is_batch and a.id = s.ref and ${isOwnedBy('a', '$1')}
  union all
  select b.* from sms_messages b
  where s.is_batch and b.batch_id between s.ref and s.ref and b.batch_id <> '' and ${isOwnedBy('b', '$1')}`

/**
 * SQL: the states that messages `m` reached, and when; for imported ones without events, the present state.
 */
const REACHED = `
  select ${EVENT_STATE} as state, e.created as at from m join sms_events e on e.message = m.id
  union all
  select m.state, m.updated from m where not exists (select from sms_events e where e.message = m.id)`

/** SQL: the states of the sends in $2. All messages of a send have the same text, read from the first. */
const STATE_OF_SENDS = `
select s.number - 1, t.*
from rows from (json_to_recordset($2) as (ref text, is_batch boolean))
  with ordinality s(ref, is_batch, number)
cross join lateral (
  with m as materialized (
    select n.id, n."to", n.device, n.error_message, n.updated, n._rowid, ${stateSql('n')} as state,
      case when $3 and row_number() over (order by n._rowid) = 1 then n.body end as text
    from (${MESSAGES_OF_SEND}) n
  )
  select ${WHOLE_STATE} as state, (array_agg(device order by _rowid))[1] as device,
    json_agg(json_strip_nulls(json_build_object('phoneNumber', "to", 'state', state,
      'error', case state when 'Failed' then nullif(error_message, '') end)) order by _rowid)::text as recipients,
    (array_agg(text order by _rowid))[1] as body,
    (select coalesce(json_object_agg(p.state, p.at), '{}')::text from (
      select state, min(at) as at from (${REACHED}) reached
      where state is not null and state <> 'Pending' group by state
    ) p) as states
  from m
) t
where t.recipients is not null
order by s.number`

/** Reads the states of a user's sends; leaves out sends without messages. `hasContent`: with the text. */
async function readStates(store: Store, user: string, sends: readonly SendRow[], hasContent: boolean) {
  if (sends.length === 0) return []
  const given = sends.map(({ ref, isBatch }) => ({ ref, is_batch: isBatch }))
  const { rows } = await store.db.shaped(STATE_OF_SENDS, [user, JSON.stringify(given), hasContent])
  return rows.map(([i, ...row]) => toState(sends[Number(i)]!, row as StateRow, hasContent))
}

/** A send for SMSGate's clients. `deviceId`: the device of the first message, '' while none is chosen. */
export type MessageState = ReturnType<typeof toState>

type StateRow = [state: string, device: string, recipients: string, body: string | null, states: string]

function toState(send: SendRow, [state, deviceId, recipients, body, states]: StateRow, hasContent: boolean) {
  const createdAt = isoDate(send.created)
  const since = Object.entries(JSON.parse(states) as Record<string, string>)
  return {
    id: send.id,
    deviceId,
    state,
    isHashed: false,
    isEncrypted: false,
    recipients: JSON.parse(recipients),
    states: { Pending: createdAt, ...Object.fromEntries(since.map(([name, at]) => [name, isoDate(at)])) },
    createdAt,
    ...(hasContent && { textMessage: { text: body ?? '' } }),
  }
}

/** A stored date as SMSGate's clients read it: `2026-11-20T07:00:00.000Z`. */
export const isoDate = (stored: string): string => dateOf(stored)?.toISOString() ?? ''

/** A larger batch, from another API of this server, is refused: the answer has no pages. */
const MAX_RECIPIENTS = 1_000

/** A send: its id, which the client may have chosen, and `ref`, the id of its message or batch. */
type SendRow = Readonly<{ id: string; ref: string; isBatch: boolean; created: string }>

/** Finds a send of SMSGate's API by its id, else a batch or a message from this server's other APIs. */
const readSend = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom(
      sql<SendRow & { place: number; size: number }>`(
        select 1 as place, s.id, s.ref, s.is_batch as "isBatch", s.created, 0 as size
        from sms_origins s where s."user" = ${user} and s.api = 'smsgate' and s.id = ${id}
        union all
        (select 2, b.batch_id, b.batch_id, true, b.created, (
          select count(*) from (
            select from sms_messages n where n.batch_id = ${id} limit ${sql.lit(MAX_RECIPIENTS + 1)}) counted)
        from sms_messages b
        where b.batch_id = ${id} and b.batch_id <> '' and b."user" || '' = ${user} limit 1)
        union all
        select 3, m.id, m.id, false, m.created, 0 from sms_messages m
        where m.id = ${id} and m."user" || '' = ${user} and m.message_type || '' = 'outgoing'
      )`.as('found'),
    )
    .select(['id', 'ref', 'isBatch', 'created', 'size'])
    .orderBy('place')
    .limit(sql.lit(1))
    .executeTakeFirst()

/** A user's send by its id. Throws 404, and 400 for a batch that is too large to answer. */
export async function findSend({ db }: Store, user: string, id: string): Promise<SendRow> {
  const found = await readSend(db, user, id)
  if (!found) throw gatewayRefusal('message_not_found')
  const { size, ...send } = found
  if (size > MAX_RECIPIENTS)
    throw invalid(
      `This batch has more than ${MAX_RECIPIENTS} recipients: ask for /api/sms/batches/${send.ref}`,
    )
  return send
}

/** The present state of a send. Throws 404 if it has no messages any more. */
export async function stateOf(store: Store, user: string, send: SendRow) {
  const [state] = await readStates(store, user, [send], true)
  if (!state) throw gatewayRefusal('message_not_found')
  return state
}

/** Cancels those messages of a send that no device has. Throws 409 `not_cancelable` if devices have all. */
export async function cancelSend(store: Store, permit: Permit, { ref, isBatch }: SendRow): Promise<void> {
  const isCanceled = isBatch
    ? (await cancelBatch(store, permit, ref)).canceled > 0
    : await cancelOnce(store, permit, ref)
  if (!isCanceled) throw gatewayRefusal('not_cancelable')
}

/** The send of SMSGate's API with this `ref`, the id of its message or batch. Throws 404. */
export async function sendOfRef({ db }: Store, user: string, ref: string): Promise<SendRow> {
  const found = await queries(db)
    .selectFrom('sms_origins')
    .select(['id', 'ref', 'is_batch as isBatch', 'created'])
    .where('user', '=', user)
    .where('ref', '=', ref)
    .where('api', '=', 'smsgate')
    .executeTakeFirst()
  if (!found) throw gatewayRefusal('message_not_found')
  return found
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** SMSGate's states. No message here is ever `Cancelling`. */
const STATES = ['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'] as const

/** The query of a list of sends. A filter that is '' has no effect. */
export const LIST_QUERY = z.object({
  from: dateIn,
  to: dateIn,
  state: z.enum(['', ...STATES], `must be one of ${STATES.join(', ')}`).default(''),
  deviceId: deviceIn,
  limit: numberIn
    .transform((limit) => Math.min(Math.max(limit || DEFAULT_LIMIT, 1), MAX_LIMIT))
    .default(DEFAULT_LIMIT),
  offset: numberIn.transform((offset) => Math.max(offset, 0)).default(0),
  sort: z.enum(['created_at', '-created_at'], 'must be created_at or -created_at').default('-created_at'),
  includeContent: flagIn,
})
type ListQuery = z.output<typeof LIST_QUERY>

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

export async function listMessages(store: Store, user: string, query: ListQuery) {
  const { from, to, state, deviceId, limit, offset } = query
  const params = [user, from, to, limit, offset, state, deviceId].slice(0, isFiltered(query) ? 7 : 5)
  const { rows } = await store.db.shaped(pageSql(query), params)
  const [total, page] = rows[0] as [number, string]
  const sends = JSON.parse(page) as SendRow[]
  return { total: Number(total), items: await readStates(store, user, sends, query.includeContent) }
}

const isFiltered = ({ state, deviceId }: ListQuery) => state !== '' || deviceId !== ''

/** SQL for a page of sends and their total. Without a filter by state or device it reads no messages. */
function pageSql(query: ListQuery): string {
  const order = query.sort === '-created_at' ? 'desc' : ''
  const period = `s."user" = $1 and s.api = 'smsgate' and ($2 = '' or s.created >= $2) and ($3 = '' or s.created < $3)`
  const matching = `select s.id, s.ref, s.is_batch, s.created from sms_origins s
    where ${period}${isFiltered(query) ? ` and ${FILTER}` : ''}`
  return `with matching as ${isFiltered(query) ? 'materialized' : 'not materialized'} (${matching})
select (select count(*) from matching), coalesce((
  select json_agg(json_build_object('id', p.id, 'ref', p.ref, 'isBatch', p.is_batch, 'created', p.created)
    order by p.created ${order}, p.id ${order})::text
  from (select * from matching order by created ${order}, id ${order} limit $4 offset $5) p), '[]')`
}

/** SQL condition: the send `s` has the state $6 and a message of the device $7. '' stands for any. */
const FILTER = `(
  select ($6 = '' or ${WHOLE_STATE} = $6) and ($7 = '' or bool_or(r.device = $7))
  from (select m.device, ${stateSql('m')} as state from (${MESSAGES_OF_SEND}) m) r
)`
