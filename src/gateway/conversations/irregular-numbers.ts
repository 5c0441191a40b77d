import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { OTHER_FORM } from '../../portable/phone/other-phone-forms.ts'

/** Maximum numbers that are read at a time. */
export const MAX_NUMBERS = 500

const SECOND_FORM = `^\\+[0-9]{1,3}0|${OTHER_FORM}`

/** SQL: the next numbers of user $1 after $2 in a column, which is tested by a condition. */
const writeNextNumbers = (table: string, column: string, condition: string) => `(
  select distinct "${column}" as number from ${table}
  where "user" = $1 and "${column}" > $2 and ${condition} order by number limit ${MAX_NUMBERS})`

/** Numbers that are not in E.164, have a 0 after a possible calling code, or are in a second form ($3). */
const isNationalCandidate = (column: string) =>
  `("${column}" !~ '^\\+[1-9][0-9]{6,14}$' or "${column}" ~ $3)`

/** A statement with a part for each column, because each has its own index. */
const NUMBERS_AFTER = [
  writeNextNumbers(
    'sms_messages',
    'from',
    `"from" <> '' and message_type = 'incoming' and ${isNationalCandidate('from')}`,
  ),
  writeNextNumbers('sms_messages', 'to', `message_type = 'outgoing' and "to" ~ $3`),
  writeNextNumbers('conversations', 'number', isNationalCandidate('number')),
  writeNextNumbers('contacts', 'phone', isNationalCandidate('phone')),
].join(' union ')

/** The next numbers in the order of collation "C": of texts, conversations and contacts. */
export async function loadNumbersAfter(db: Db, user: string, after: string): Promise<string[]> {
  const text = `${NUMBERS_AFTER} order by number limit ${MAX_NUMBERS}`
  const { rows } = await db.query(text, [user, after, SECOND_FORM], 'irregular numbers')
  return rows.map(([number]) => String(number))
}

/** The texts from each number, by where they came to, the newest first. */
export async function countTextsByOrigin(db: Db, user: string, numbers: readonly string[]) {
  const rows = await queries(db)
    .selectFrom('sms_messages')
    .select(['from', 'device', 'sim', 'to'])
    .select(({ fn }) => sql<number>`${fn.countAll()}::int`.as('count'))
    .where('user', '=', user)
    .where('from', '<>', sql.lit(''))
    .where('from', '=', matchAny(numbers))
    .where('message_type', '=', sql.lit('incoming'))
    .groupBy(['from', 'device', 'sim', 'to'])
    .orderBy(({ fn }) => fn.max('created'), 'desc')
    .execute()
  return Map.groupBy(rows, ({ from }) => from)
}

/** How many texts were sent to each number. */
export async function countSentTo(db: Db, user: string, numbers: readonly string[]) {
  const rows = await queries(db)
    .selectFrom('sms_messages')
    .select(['to', sql<number>`count(*)::int`.as('count')])
    .where('user', '=', user)
    .where('to', '=', matchAny(numbers))
    .where('message_type', '=', sql.lit('outgoing'))
    .groupBy('to')
    .execute()
  return new Map(rows.map(({ to, count }) => [to, count]))
}

/** The conversation of each number, with the slot that received its last text, as far as it is known. */
export async function loadConversations(db: Db, user: string, numbers: readonly string[]) {
  const rows = await queries(db)
    .selectFrom('conversations as c')
    .leftJoin('sms_messages as m', (join) =>
      join.onRef('m.id', '=', 'c.last_message').on('m.message_type', '=', sql.lit('incoming')),
    )
    .leftJoin('lines as l', (join) =>
      join.onRef('l.id', '=', 'c.line').onRef('l.device', '=', 'c.device'),
    )
    .select(['c.number', 'c.device', sql<number>`coalesce(m.sim, l.slot, 0)`.as('slot')])
    .where('c.user', '=', user)
    .where('c.number', '=', matchAny(numbers))
    .execute()
  return new Map(rows.map((row) => [row.number, row]))
}

export async function loadContacts(db: Db, user: string, phones: readonly string[]) {
  const rows = await queries(db)
    .selectFrom('contacts')
    .select(['phone', 'opted_out'])
    .where('user', '=', user)
    .where('phone', '=', matchAny(phones))
    .execute()
  return new Map(rows.map((row) => [row.phone, row]))
}
