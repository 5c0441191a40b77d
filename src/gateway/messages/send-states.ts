import { toObjects } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { REASONS } from '../base/message-status.ts'
import type { SendRow } from './find-send.ts'

/** SQL: SMSGate's state of a message, the row `alias`. No message here is ever `Cancelling`. */
const writeStateSql = (alias: string) => `case
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
 * SQL: whether the row `alias`, which was found by its id, belongs to user $1. Hides the index of `user`:
 * with old statistics, Postgres took 12 s by that index for 100 reports.
 */
const isOwnSend = (alias: string) => `${alias}."user" || '' = $1`

/**
 * SQL: the messages of the send `s` of user $1. `between` makes Postgres use the index of batch_id: for `=`
 * it would read the whole table, since most messages have no batch.
 */
const MESSAGES_OF_SEND = `
  select a.* from sms_messages a where not s.is_batch and a.id = s.ref and ${isOwnSend('a')}
  union all
  select b.* from sms_messages b
  where s.is_batch and b.batch_id between s.ref and s.ref and b.batch_id <> '' and ${isOwnSend('b')}`

/**
 * SQL: the states of sends, by their `number`. `messages` selects the messages of all, each with the number
 * of its send. All of a send have the same text, read from the first if `hasText` says so. A message without
 * events was imported: it has reached its present state. Messages are found before they are ordered: where
 * Postgres avoids sorts (lookups), it would read the whole table by the index of `_rowid`. `offset` lets it
 * look up the events of each message, however many it expects.
 */
const writeStatesSql = (messages: string, hasText: string) => `
  with found as materialized (${messages}), m as materialized (
    select n.number, n.id, n."to", n.device, n.error_message, n.updated, n._rowid, ${writeStateSql('n')} as state,
      case when ${hasText} and row_number() over (partition by n.number order by n._rowid) = 1 then n.body end as text
    from found n
  ), reached as (
    select number, state, min(at) as at from (
      select m.number, case when e.id is null then m.state else ${EVENT_STATE} end as state,
        case when e.id is null then m.updated else e.created end as at
      from m left join lateral (
        select v.id, v.status, v.detail, v.created from sms_events v where v.message = m.id offset 0
      ) e on true
    ) r where state is not null and state <> 'Pending' group by number, state
  ), times as (
    select number, json_object_agg(state, at order by state)::text as states from reached group by number
  )
  select t.*, coalesce(times.states, '{}') as states from (
    select number, ${WHOLE_STATE} as state, (array_agg(device order by _rowid))[1] as device,
      json_agg(json_strip_nulls(json_build_object('phoneNumber', "to", 'state', state,
        'error', case state when 'Failed' then nullif(error_message, '') end)) order by _rowid)::text as recipients,
      (array_agg(text order by _rowid))[1] as body
    from m group by number
  ) t left join times using (number)`

/** SQL: the states of the sends in $2, which are numbered from 1 on. */
const STATES_OF_SENDS = writeStatesSql(
  `select s.number, n.* from rows from (json_to_recordset($2) as (ref text, is_batch boolean))
    with ordinality s(ref, is_batch, number) cross join lateral (${MESSAGES_OF_SEND}) n`,
  '$3',
)

/** SQL: the state of the send $2, prepared for all values: planning it took half of its time. */
const STATE_OF_MESSAGE = writeStatesSql(
  `select 1 as number, a.* from sms_messages a where a.id = $2 and ${isOwnSend('a')}`,
  'true',
)
const STATE_OF_BATCH = writeStatesSql(
  `select 1 as number, b.* from sms_messages b
    where b.batch_id between $2 and $2 and b.batch_id <> '' and ${isOwnSend('b')}`,
  'true',
)

/** The state of a send, the device of its first message, and JSON of its recipients and past states. */
export interface SendState {
  /** Counts the sends that were asked for, from 1. */
  readonly number: number
  readonly state: string
  readonly device: string
  readonly recipients: string
  readonly body: string | null
  readonly states: string
}

/** States of a user's sends by their numbers; none for a send without messages. `hasText`: with the text. */
export async function readSendStates(
  db: Db,
  user: string,
  sends: readonly SendRow[],
  hasText: boolean,
): Promise<ReadonlyMap<number, SendState>> {
  if (sends.length === 0) return new Map()
  const given = sends.map(({ ref, isBatch }) => ({ ref, is_batch: isBatch }))
  const values = [user, JSON.stringify(given), hasText]
  const found = toObjects<SendState>(await db.shaped(STATES_OF_SENDS, values, 'states of sends'))
  return new Map(found.map((one) => [Number(one.number), one]))
}

/** The present state of a send, with its text; undefined if it has no messages any more. */
export async function findSendState(
  db: Db,
  user: string,
  { ref, isBatch }: SendRow,
): Promise<SendState | undefined> {
  const found = isBatch
    ? await db.lookUp(STATE_OF_BATCH, [user, ref], 'state of batch')
    : await db.lookUp(STATE_OF_MESSAGE, [user, ref], 'state of message')
  return toObjects<SendState>(found)[0]
}

/** Which sends of SMSGate's API a page has. '' means any. */
export interface SendChoice {
  readonly from: string
  readonly to: string
  readonly state: string
  readonly deviceId: string
  readonly limit: number
  readonly offset: number
  readonly isNewestFirst: boolean
}

/** A page of a user's sends by SMSGate's API, and how many there are in all. */
export async function findSends(
  db: Db,
  user: string,
  choice: SendChoice,
): Promise<{ readonly total: number; readonly sends: readonly SendRow[] }> {
  const { from, to, state, deviceId, limit, offset, isNewestFirst } = choice
  const values = [user, from, to, limit, offset]
  const found = isFiltered(choice)
    ? await db.shaped(writePageSql(choice), [...values, state, deviceId])
    : await db.shaped(writePageSql(choice), values, `sends ${isNewestFirst}`)
  const [total, sends] = found.rows[0] as [number, string]
  return { total: Number(total), sends: JSON.parse(sends) }
}

const isFiltered = ({ state, deviceId }: SendChoice) => state !== '' || deviceId !== ''

/** SQL for a page of sends and their total. Without a filter by state or device it reads no messages. */
function writePageSql(choice: SendChoice): string {
  const order = choice.isNewestFirst ? 'desc' : ''
  const period = `s."user" = $1 and s.api = 'smsgate' and ($2 = '' or s.created >= $2) and ($3 = '' or s.created < $3)`
  const matching = `select s.id, s.ref, s.is_batch, s.created from sms_origins s
    where ${period}${isFiltered(choice) ? ` and ${FILTER}` : ''}`
  return `with matching as ${isFiltered(choice) ? 'materialized' : 'not materialized'} (${matching})
select (select count(*) from matching), coalesce((
  select json_agg(json_build_object('id', p.id, 'ref', p.ref, 'isBatch', p.is_batch, 'created', p.created)
    order by p.created ${order}, p.id ${order})::text
  from (select * from matching order by created ${order}, id ${order} limit $4 offset $5) p), '[]')`
}

/** SQL condition: the send `s` has the state $6 and a message of the device $7. '' means any. */
const FILTER = `(
  select ($6 = '' or ${WHOLE_STATE} = $6) and ($7 = '' or bool_or(r.device = $7))
  from (select m.device, ${writeStateSql('m')} as state from (${MESSAGES_OF_SEND}) m) r
)`
