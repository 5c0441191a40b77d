import type { Db } from '../db/open.ts'
import type { Collection } from './collection.ts'
import { parseIndex } from './index-expression.ts'
import { columnName, quote } from './names.ts'

interface OwnIndex {
  readonly table: string
  readonly name: string
  readonly columns: readonly string[]
  /** What follows the last column. */
  readonly end?: string
  /** Of which rows; absent: of all. */
  readonly where?: string
}

/**
 * There are none without a number, but whoever says so asks for an order that the index of the numbers alone does not have: along that
 * one Postgres would go through everybody's rows for a user whom it knows to have many, though they may all be the last ones.
 */
const FIRST = ' NULLS FIRST'

/** Tables that may have very many rows, of one user or of many. */
const LARGE = ['sms_messages', 'sms_events', 'contacts', 'webhook_deliveries']

/**
 * Indexes beside those that a collection describes: nobody sees them, or can take them away. By a user's messages of one status
 * the console asks, and who looks for what has failed: a page with its total took 1.2 ms of processor of 2,000 messages and
 * 20 of 102,000, with this 0.3 and 0.8. It costs 90 bytes a message. In the order of insertion everybody lists who names no
 * other: without an index for it the first page of one who came after 200,000 messages of others passes by all of them (350 ms,
 * so 0.1). By the number on the other side conversations are read, and whoever asks what somebody was told: 35 ms among 102,000
 * messages without an index, 0.1 with it.
 */
const OWN_INDEXES: readonly OwnIndex[] = [
  { table: 'sms_messages', name: 'sms_messages_by_status', columns: ['user', 'status', 'created'] },
  { table: 'sms_messages', name: 'sms_messages_by_to', columns: ['user', 'to'], where: `"to" <> ''` },
  { table: 'sms_messages', name: 'sms_messages_by_from', columns: ['user', 'from'], where: `"from" <> ''` },
  ...LARGE.map((table) => ({ table, name: `${table}_in_order`, columns: ['user', '_rowid'], end: FIRST })),
]

/** The columns of each index of a collection that has all rows, as they stand, quoted: described ones and our own. */
export function indexedColumns({
  id,
  indexes,
}: Pick<Collection, 'id' | 'indexes'>): readonly (readonly string[])[] {
  const described = indexes
    .map(parseIndex)
    .filter(({ where, columns }) => where === '' && columns.every(({ collate }) => collate === ''))
    .map(({ columns }) => columns.map(({ name }) => columnName(name)))
  const own = OWN_INDEXES.filter(({ table, where }) => table === id && !where).map(({ columns }) => columns)
  return [...described, ...own].map((names) => names.map(quote))
}

/** The order of insertion of one user's rows, as the index has it. */
export const inOrder = (direction: string): string =>
  direction === 'DESC' ? 'b._rowid DESC NULLS LAST' : `b._rowid${FIRST}`

const IS_MISSING = `
select from pg_attribute where attrelid = to_regclass($1) and attname = any($2) and not attisdropped
having count(*) = cardinality($2::text[]) and to_regclass($3) is null`

/** Makes those that are missing. Sends wait meanwhile, a second for half a million messages, once. */
export async function makeOwnIndexes(db: Db): Promise<void> {
  for (const { table, name, columns, end = '', where } of OWN_INDEXES) {
    const { rows } = await db.query(IS_MISSING, [table, columns, name])
    if (rows.length === 0) continue
    const list = columns.map((column) => `"${column}"`).join(', ')
    const index = `create index ${name} on ${table} (${list}${end})${where ? ` where ${where}` : ''}`
    await db.script(`set local statement_timeout = 0; set local lock_timeout = 0; ${index}`)
  }
}
