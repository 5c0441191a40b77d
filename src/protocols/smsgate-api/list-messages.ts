import { z } from 'zod'
import type { Call } from './define-route.ts'
import type { SendRow } from './find-send.ts'
import { MESSAGES_OF_SEND, readStates, WHOLE_STATE, writeStateSql } from './send-state.ts'
import { queryDate, queryDevice, queryFlag, queryNumber } from './smsgate-values.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** SMSGate's states. No message here is ever `Cancelling`. */
const STATES = [
  'Pending',
  'Cancelling',
  'Cancelled',
  'Processed',
  'Sent',
  'Delivered',
  'Failed',
] as const

/** The query of a list of sends. A filter that is '' has no effect. */
export const LIST_QUERY = z.object({
  from: queryDate,
  to: queryDate,
  state: z.enum(['', ...STATES], `must be one of ${STATES.join(', ')}`).default(''),
  deviceId: queryDevice,
  limit: queryNumber
    .transform((limit) => Math.min(Math.max(limit || DEFAULT_LIMIT, 1), MAX_LIMIT))
    .default(DEFAULT_LIMIT),
  offset: queryNumber.transform((offset) => Math.max(offset, 0)).default(0),
  sort: z
    .enum(['created_at', '-created_at'], 'must be created_at or -created_at')
    .default('-created_at'),
  includeContent: queryFlag,
})
type ListQuery = z.output<typeof LIST_QUERY>

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

export async function listMessages(
  { store, user }: Pick<Call, 'store' | 'user'>,
  query: ListQuery,
) {
  const { from, to, state, deviceId, limit, offset } = query
  const params = [user, from, to, limit, offset, state, deviceId].slice(
    0,
    isListFiltered(query) ? 7 : 5,
  )
  const { rows } = await store.db.shaped(writePageSql(query), params)
  const [total, page] = rows[0] as [number, string]
  const sends = JSON.parse(page) as SendRow[]
  return { total: Number(total), items: await readStates(store, user, sends, query.includeContent) }
}

const isListFiltered = ({ state, deviceId }: ListQuery) => state !== '' || deviceId !== ''

/** SQL for a page of sends and their total. Without a filter by state or device it reads no messages. */
function writePageSql(query: ListQuery): string {
  const order = query.sort === '-created_at' ? 'desc' : ''
  const period = `s."user" = $1 and s.api = 'smsgate' and ($2 = '' or s.created >= $2) and ($3 = '' or s.created < $3)`
  const matching = `select s.id, s.ref, s.is_batch, s.created from sms_origins s
    where ${period}${isListFiltered(query) ? ` and ${FILTER}` : ''}`
  return `with matching as ${isListFiltered(query) ? 'materialized' : 'not materialized'} (${matching})
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
