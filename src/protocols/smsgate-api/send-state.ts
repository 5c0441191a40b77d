import type { Store } from '../../engine/collections/catalog.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { REASONS } from '../../gateway/base/message-status.ts'
import type { SendRow } from './find-send.ts'
import { toIsoDate } from './smsgate-values.ts'

/** SQL: SMSGate's state of a message, the row `alias`. No message here is ever `Cancelling`. */
export const writeStateSql = (alias: string) => `case
  when ${alias}.status in ('pending', 'assigned') then 'Pending'
  when ${alias}.status = 'sending' then 'Processed'
  when ${alias}.status = 'sent' then 'Sent'
  when ${alias}.status = 'delivered' then 'Delivered'
  when ${alias}.error_message = '${REASONS.canceled}' then 'Cancelled'
  else 'Failed' end`

/** SQL aggregate: the state of a send, from the `state` of its messages, by the rules of SMSGate's app. */
export const WHOLE_STATE = `case
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
export const MESSAGES_OF_SEND = `
  select a.* from sms_messages a where not s.is_batch and a.id = s.ref and ${isOwnSend('a')}
  union all
  select b.* from sms_messages b
  where s.is_batch and b.batch_id between s.ref and s.ref and b.batch_id <> '' and ${isOwnSend('b')}`

/**
 * SQL: the states that messages `m` reached, and when; for imported ones without events, the present state.
 */
const REACHED = `
  select ${EVENT_STATE} as state, e.created as at from m join sms_events e on e.message = m.id
  union all
  select m.state, m.updated from m where not exists (select from sms_events e where e.message = m.id)`

/**
 * SQL: the state of the messages that `messages` selects. All of a send have the same text, read from the
 * first if `hasText` says so. They are found before they are ordered: where Postgres avoids sorts (lookups),
 * it would read the whole table by the index of `_rowid`.
 */
const writeSendStateSql = (messages: string, hasText: string) => `
  with found as materialized (${messages}), m as materialized (
    select n.id, n."to", n.device, n.error_message, n.updated, n._rowid, ${writeStateSql('n')} as state,
      case when ${hasText} and row_number() over (order by n._rowid) = 1 then n.body end as text
    from found n
  )
  select ${WHOLE_STATE} as state, (array_agg(device order by _rowid))[1] as device,
    json_agg(json_strip_nulls(json_build_object('phoneNumber', "to", 'state', state,
      'error', case state when 'Failed' then nullif(error_message, '') end)) order by _rowid)::text as recipients,
    (array_agg(text order by _rowid))[1] as body,
    (select coalesce(json_object_agg(p.state, p.at order by p.state), '{}')::text from (
      select state, min(at) as at from (${REACHED}) reached
      where state is not null and state <> 'Pending' group by state
    ) p) as states
  from m`

/** SQL: the states of the sends in $2. */
const STATE_OF_SENDS = `
select s.number - 1, t.*
from rows from (json_to_recordset($2) as (ref text, is_batch boolean))
  with ordinality s(ref, is_batch, number)
cross join lateral (${writeSendStateSql(MESSAGES_OF_SEND, '$3')}) t
where t.recipients is not null
order by s.number`

/** SQL: the state of the send $2, prepared for all values: planning it took half of its time. */
const STATE_OF_MESSAGE = writeSendStateSql(
  `select a.* from sms_messages a where a.id = $2 and ${isOwnSend('a')}`,
  'true',
)
const STATE_OF_BATCH = writeSendStateSql(
  `select b.* from sms_messages b
    where b.batch_id between $2 and $2 and b.batch_id <> '' and ${isOwnSend('b')}`,
  'true',
)

/** Reads the states of a user's sends; leaves out sends without messages. `hasContent`: with the text. */
export async function readStates(
  store: Store,
  user: string,
  sends: readonly SendRow[],
  hasContent: boolean,
) {
  if (sends.length === 0) return []
  const given = sends.map(({ ref, isBatch }) => ({ ref, is_batch: isBatch }))
  const { rows } = await store.db.shaped(STATE_OF_SENDS, [user, JSON.stringify(given), hasContent])
  return rows.map(([i, ...row]) => toState(sends[Number(i)]!, row as StateRow, hasContent))
}

/** A send for SMSGate's clients. `deviceId`: the device of the first message, '' while none is chosen. */
export type MessageState = ReturnType<typeof toState>

type StateRow = [
  state: string,
  device: string,
  recipients: string | null,
  body: string | null,
  states: string,
]

function toState(
  send: SendRow,
  [state, deviceId, recipients, body, states]: StateRow,
  hasContent: boolean,
) {
  const createdAt = toIsoDate(send.created)
  const since = Object.entries(JSON.parse(states) as Record<string, string>)
  return {
    id: send.id,
    deviceId,
    state,
    isHashed: false,
    isEncrypted: false,
    recipients: JSON.parse(recipients!),
    states: {
      Pending: createdAt,
      ...Object.fromEntries(since.map(([name, at]) => [name, toIsoDate(at)])),
    },
    createdAt,
    ...(hasContent && { textMessage: { text: body ?? '' } }),
  }
}

/** The present state of a send. Throws 404 if it has no messages any more. */
export async function readSendState(store: Store, user: string, send: SendRow) {
  const { rows } = send.isBatch
    ? await store.db.lookUp(STATE_OF_BATCH, [user, send.ref], 'smsgate batch')
    : await store.db.lookUp(STATE_OF_MESSAGE, [user, send.ref], 'smsgate message')
  const [row] = rows as unknown as StateRow[]
  if (!row || row[2] === null) throw gatewayRefusal('message_not_found')
  return toState(send, row, true)
}
