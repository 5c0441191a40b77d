import type pg from 'pg'

/** A message as the API shows it: its columns in the order of their names. */
export const COLUMNS = `b.attachments, b.batch_id, b.body, b.client_ref, 'sms_messages' as "collectionId", 'sms_messages' as "collectionName", b.created,
  b.delivered_at, b.device, b.error_message, b.expires_at, b."from", b.guarantee, b.id, b.line, b.message_type, b.priority, b.scheduled_at,
  b.segments, b.sent_at, b.sent_by, b.sim, b.status, b.subject, b."to", b.updated, b."user", b.waiting_for`

type Query = Readonly<Record<string, string>>

/** The conditions that the measured lists have; `$1` is the user, `$2` the size of the page. */
const CONDITIONS = {
  all: 'b."user" = $1',
  status: 'b."user" = $1 and b.status = $3',
  filtered: `b."user" = $1 and b.status in ('sent', 'delivered') and b."to" ilike $3 and b.created > $4`,
} as const

function shapeOf(query: Query): { shape: keyof typeof CONDITIONS; values: string[] } {
  if (query.status) return { shape: 'status', values: [query.status] }
  if (query.to && query.since) return { shape: 'filtered', values: [`%${query.to}%`, query.since] }
  return { shape: 'all', values: [] }
}

const pageSql = (shape: keyof typeof CONDITIONS) =>
  `select ${COLUMNS} from sms_messages b where ${CONDITIONS[shape]} order by b.created desc, b._rowid limit $2`

/** The page and the total in one round trip. */
const totalSql = (shape: keyof typeof CONDITIONS) =>
  `select t.total, p.* from (select count(*)::int as total from sms_messages b where ${CONDITIONS[shape]}) t
   left join lateral (${pageSql(shape)}) p on true`

/** First page of a user's messages, newest first, in PocketBase's envelope. */
export async function listMessages(pool: pg.Pool, user: string, query: Query) {
  const perPage = Number(query.perPage ?? 30)
  const { shape, values } = shapeOf(query)
  const counts = query.skipTotal !== '1'
  const { rows } = await pool.query({
    name: `${counts ? 'list' : 'page'} ${shape}`,
    text: counts ? totalSql(shape) : pageSql(shape),
    values: [user, perPage, ...values],
  })
  const total = counts ? Number(rows[0].total) : -1
  const items = counts ? withoutTotal(rows) : rows
  return {
    items,
    page: 1,
    perPage,
    totalItems: total,
    totalPages: counts ? Math.ceil(total / perPage) : -1,
  }
}

function withoutTotal(rows: Record<string, unknown>[]) {
  for (const row of rows) row.total = undefined
  return rows[0]?.id === null ? [] : rows
}

/** One message of the user; undefined for another's. */
export async function viewMessage(pool: pg.Pool, user: string, id: string) {
  const text = `select ${COLUMNS} from sms_messages b where b.id = $2 and b."user" = $1`
  const { rows } = await pool.query({ name: 'view', text, values: [user, id] })
  return rows[0]
}
