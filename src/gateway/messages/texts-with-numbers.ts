import { formatDate } from '../../engine/fields/parse-date.ts'
import { type TableRow, toObjects } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries, writeUnindexed } from '../../platform/db/queries.ts'

// Texts as APIs show them that name the account's own number in each, as Twilio's does.

const COLUMNS = [
  'id',
  'status',
  'to',
  'from',
  'body',
  'message_type',
  'segments',
  'scheduled_at',
  'sent_at',
  'delivered_at',
  'error_message',
  'created',
  'updated',
  'attachments',
] as const

export interface NumberedText extends Pick<TableRow<'sms_messages'>, (typeof COLUMNS)[number]> {
  /** The account's own number, of the message's line or device; '' for none. */
  readonly own_number: string
  /** Whether its API sent it by a service, and as a reply: what its row of sms_origins keeps. */
  readonly service: boolean
  readonly reply: boolean
}

/**
 * SQL: the account's own number in message `m`: the one stored there, else that of its chosen line, else that
 * of its device, else ''. `sms_accept` has the same.
 */
const OWN_NUMBER = `coalesce(
  nullif(case m.message_type when 'incoming' then m."to" else m."from" end, ''),
  (select nullif(l.number, '') from sms_dispatch q join lines l on l.id = q.line
    where q.message = m.id and q.line_pinned and m."from" = ''),
  (select d.phone from devices d where d.id = m.device), '')`

/** SQL that reads messages `m`. */
const selectTexts = (messages: string) => `
select ${COLUMNS.map((name) => `m."${name}"`).join(', ')}, ${OWN_NUMBER} as own_number,
  coalesce(o.data ->> 'service' = 'true', false) as service, coalesce(o.data ->> 'reply' = 'true', false) as reply
from ${messages} m left join sms_origins o on o.ref = m.id`

/**
 * SQL: the message was received, or sent by the API key that a place names. By a `case` Postgres expects
 * many such texts, also with old statistics, and steps through them in the order of a list.
 */
const isSeenBy = (key: string) =>
  `case m.message_type when 'incoming' then true else m.sent_by = ${key} end`

const FIND = `${selectTexts('sms_messages')} where m.id = $1 and m."user" || '' = $2 and ($3 = '' or ${isSeenBy('$3')})`

/** A user's text by its id. `key`: the API key that must have sent it, '' for any. */
export async function findNumberedText(
  db: Db,
  user: string,
  id: string,
  key: string,
): Promise<NumberedText | undefined> {
  const [text] = toObjects<NumberedText>(await db.lookUp(FIND, [id, user, key], 'numbered text'))
  return text
}

/** Which texts a list has: those that meet all conditions. */
export interface TextChoice {
  /** The API key that must have sent an outgoing one; '' for any. */
  readonly key: string
  /** Its recipient's and its sender's number, as stored; [] for any. */
  readonly to: readonly string[]
  readonly from: readonly string[]
  /** When it was sent or received, in whole seconds. */
  readonly periods: readonly { readonly sinceMs?: number; readonly beforeMs?: number }[]
}

/** A page in the order of the texts. `from`: the text before it, or behind it if `isBack`. */
export interface TextPlace {
  readonly from?: { readonly id: string; readonly isBack: boolean } | undefined
  readonly limit: number
  readonly offset: number
}

/** SQL: when a message was sent, or received; '' for neither. */
const DATE_SENT = `case m.message_type when 'incoming' then m.delivered_at else m.sent_at end`
const SECOND_MS = 1_000

/**
 * A page of a user's texts, the newest first, those before `from` the other way round. Undefined if `from` is
 * no text of the user. The page is found before anything is joined.
 */
export async function listNumberedTexts(
  db: Db,
  user: string,
  choice: TextChoice,
  { from, limit, offset }: TextPlace,
): Promise<NumberedText[] | undefined> {
  const values: unknown[] = [user]
  const bind = (value: unknown) => `$${values.push(value)}`
  const { key, ...rest } = choice
  const conditions = [
    ...(key ? [isSeenBy(bind(key))] : []),
    ...(await writeChoice(db, user, rest, bind)),
  ]
  if (from) {
    const rowid = await findPlace(db, user, from.id)
    if (rowid === undefined) return undefined
    conditions.push(`m._rowid ${from.isBack ? '>' : '<'} ${bind(rowid)}`)
  }
  const order = `order by m._rowid ${from?.isBack ? 'nulls first' : 'desc nulls last'}`
  const where = [`m."user" = $1`, ...conditions].join(' and ')
  const page = `(select * from sms_messages m where ${where} ${order}
    limit ${bind(limit)}::bigint offset ${bind(offset)}::bigint)`
  // what a filter finds differs by its values, so Postgres plans it each time
  const isPlain = rest.to.length + rest.from.length + rest.periods.length === 0
  const name = `numbered texts ${key ? 'own' : 'all'} ${from ? (from.isBack ? 'back' : 'on') : ''}`
  const text = `${selectTexts(page)} ${order}`
  return toObjects<NumberedText>(await db.shaped(text, values, isPlain ? name : undefined))
}

async function findPlace(db: Db, user: string, id: string): Promise<number | undefined> {
  const found = await queries(db, 'lookUp')
    .selectFrom('sms_messages')
    .select('_rowid')
    .where('id', '=', id)
    .where(writeUnindexed('user'), '=', user)
    .executeTakeFirst()
  return found?._rowid
}

/** SQL conditions on messages `m`. An incoming text without a recipient is to each number of its device. */
async function writeChoice(
  db: Db,
  user: string,
  { to, from, periods }: Omit<TextChoice, 'key'>,
  bind: (value: unknown) => string,
): Promise<string[]> {
  const conditions: string[] = []
  const devices = to.length > 0 ? await findDevicesWith(db, user, to) : []
  if (to.length > 0) {
    const isTo = `m."to" = any(${bind(to)})`
    const isMine = `m."to" = '' and m.message_type = 'incoming' and m.device = any`
    // `or` only if there are devices: the condition on the number alone can use an index
    conditions.push(devices.length > 0 ? `(${isTo} or ${isMine}(${bind(devices)}))` : isTo)
  }
  if (from.length > 0) {
    const sender = `case m.message_type when 'incoming' then m."from" else ${OWN_NUMBER} end`
    conditions.push(`(${sender}) = any(${bind(from)})`)
  }
  const second = (ms: number) => bind(formatDate(new Date(Math.floor(ms / SECOND_MS) * SECOND_MS)))
  for (const { sinceMs, beforeMs } of periods) {
    conditions.push(`${DATE_SENT} <> ''`)
    if (sinceMs !== undefined) conditions.push(`${DATE_SENT} >= ${second(sinceMs)}`)
    if (beforeMs !== undefined) conditions.push(`${DATE_SENT} < ${second(beforeMs)}`)
  }
  return conditions
}

async function findDevicesWith(db: Db, user: string, phones: readonly string[]): Promise<string[]> {
  const devices = await queries(db)
    .selectFrom('devices')
    .select('id')
    .where('user', '=', user)
    .where('phone', '=', matchAny(phones))
    .execute()
  return devices.map(({ id }) => id)
}
