import type { Store } from '../../collections/catalog.ts'
import { invalid } from '../../sms/send/shape.ts'
import { MESSAGES_OF_SEND, readStates, type SendRow, stateSql, WHOLE_STATE } from './message-state.ts'
import { dateIn, deviceIn, flagIn, numberIn, type Query } from './query.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** `Cancelling` is a state of SMSGate that no message here has. */
const FILTER_STATES = ['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed']

/** Filters, order and page of a list of sends; '' for no filter. Throws 400 that names a wrong parameter. */
export function readListQuery(query: Query) {
  const { state = '', sort = '' } = query
  if (state && !FILTER_STATES.includes(state))
    throw invalid(`state must be one of ${FILTER_STATES.join(', ')}`)
  if (sort && sort !== 'created_at' && sort !== '-created_at')
    throw invalid('sort must be created_at or -created_at')
  return {
    from: dateIn(query, 'from'),
    to: dateIn(query, 'to'),
    state,
    device: deviceIn(query),
    limit: Math.min(Math.max(numberIn(query, 'limit') ?? DEFAULT_LIMIT, 1), MAX_LIMIT),
    offset: Math.max(numberIn(query, 'offset') ?? 0, 0),
    isNewestFirst: sort !== 'created_at',
    hasContent: flagIn(query, 'includeContent'),
  }
}

type ListQuery = ReturnType<typeof readListQuery>

/** A page of a list, and how many items there are in all. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** The sends of a user that came through this API. */
export async function listMessages(store: Store, user: string, query: ListQuery) {
  const { from, to, state, device, limit, offset } = query
  const params = [user, from, to, limit, offset, state, device].slice(0, isFiltered(query) ? 7 : 5)
  const { rows } = await store.db.shaped(pageSql(query), params)
  const [total, page] = rows[0] as [number, string]
  const sends = JSON.parse(page) as SendRow[]
  return { total: Number(total), items: await readStates(store, user, sends, query.hasContent) }
}

const isFiltered = ({ state, device }: ListQuery) => state !== '' || device !== ''

/** One statement for page and total. Without a state or device it reads only the index of sends. */
function pageSql(query: ListQuery): string {
  const order = query.isNewestFirst ? 'desc' : ''
  const period = `s."user" = $1 and s.api = 'smsgate' and ($2 = '' or s.created >= $2) and ($3 = '' or s.created < $3)`
  const matching = `select s.id, s.ref, s.is_batch, s.created from sms_origins s
    where ${period}${isFiltered(query) ? ` and ${FILTER}` : ''}`
  return `with matching as ${isFiltered(query) ? 'materialized' : 'not materialized'} (${matching})
select (select count(*) from matching), coalesce((
  select json_agg(json_build_object('id', p.id, 'ref', p.ref, 'isBatch', p.is_batch, 'created', p.created)
    order by p.created ${order}, p.id ${order})::text
  from (select * from matching order by created ${order}, id ${order} limit $4 offset $5) p), '[]')`
}

/** SQL condition: the send has the state $6 and a message of the device $7; '' for any. */
const FILTER = `(
  select ($6 = '' or ${WHOLE_STATE} = $6) and ($7 = '' or bool_or(r.device = $7))
  from (select m.device, ${stateSql('m')} as state from (${MESSAGES_OF_SEND}) m) r
)`
