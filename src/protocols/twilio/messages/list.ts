import type { Store } from '../../../collections/catalog.ts'
import { textsOf } from '../../../db/statement.ts'
import { formatDate } from '../../../fields/types/date.ts'
import { withoutSeparators } from '../../../portable/phone.ts'
import type { Call } from '../description.ts'
import { OWN_NUMBER } from '../numbers/number.ts'
import { readPage, readRows } from '../paging.ts'
import { accountPath, invalid, type Parameters, readRequestDate, sidOf } from '../refusal.ts'
import { MESSAGE_SQL, type MessageRow, renderMessage } from './message.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

/** The user's messages in pages, newest first. Throws 20001, 21481 for a wrong token. */
export async function listMessages({ store, user, parameters }: Call) {
  const request = readPage(parameters, 'SM')
  const values: unknown[] = [user]
  const devices = await devicesWith(store, user, numbersIn(parameters, 'To'))
  const filter = filterOf(parameters, devices, (value) => `$${values.push(value)}`)
  const sql = [`${MESSAGE_SQL} where m."user" = $1`, ...filter].join(' and ')
  const path = `${accountPath(sidOf('AC', user))}/Messages.json`
  const { rows, page } = await readRows<MessageRow>(
    store.db,
    path,
    ['sms_messages', 'm'],
    sql,
    values,
    request,
  )
  return { ...page, messages: rows.map((row) => renderMessage(row, user)) }
}

/** SQL: when a message was sent, or received; '' for neither. */
const DATE_SENT = `case m.message_type when 'incoming' then m.delivered_at else m.sent_at end`

/** SQL conditions of a list. `devices` have the number in `To`, which texts without a number show. */
function filterOf(parameters: Parameters, devices: readonly string[], bound: (value: unknown) => string) {
  const conditions: string[] = []
  const between = (fromMs: number | undefined, beforeMs: number | undefined) => {
    const second = (ms: number) => bound(formatDate(new Date(Math.floor(ms / SECOND_MS) * SECOND_MS)))
    conditions.push(`${DATE_SENT} <> ''`)
    if (fromMs !== undefined) conditions.push(`${DATE_SENT} >= ${second(fromMs)}`)
    if (beforeMs !== undefined) conditions.push(`${DATE_SENT} < ${second(beforeMs)}`)
  }
  const [to, from] = [numbersIn(parameters, 'To'), numbersIn(parameters, 'From')]
  if (to.length > 0) {
    const isTo = `m."to" = any(${bound(to)})`
    const isMine = (at: string) => `m."to" = '' and m.message_type = 'incoming' and m.device = any(${at})`
    // a condition on the number alone can use its index
    conditions.push(devices.length > 0 ? `(${isTo} or ${isMine(bound(devices))})` : isTo)
  }
  if (from.length > 0) {
    const sender = `case m.message_type when 'incoming' then m."from" else ${OWN_NUMBER} end`
    conditions.push(`(${sender}) = any(${bound(from)})`)
  }
  const on = readDate(parameters, 'DateSent')
  const [after, before] = [readDate(parameters, 'DateSent>'), readDate(parameters, 'DateSent<')]
  // libraries cannot send a plain date: midnight in UTC is the whole day
  if (on) between(on.ms, on.ms + (on.isDay || on.ms % DAY_MS === 0 ? DAY_MS : SECOND_MS))
  if (after) between(after.ms, undefined)
  if (before) between(undefined, before.ms + (before.isDay ? DAY_MS : SECOND_MS))
  return conditions
}

/** A number of a filter as it was given and without separators; a name such as DHL-Info keeps its own. */
function numbersIn(parameters: Parameters, name: string): string[] {
  const given = parameters.get(name) ?? ''
  return [...new Set([given, withoutSeparators(given)])].filter((number) => number !== '')
}

const DEVICES = 'select id from devices where "user" = $1 and phone = any($2)'

async function devicesWith({ db }: Store, user: string, numbers: readonly string[]): Promise<string[]> {
  if (numbers.length === 0) return []
  return textsOf(await db.query(DEVICES, [user, numbers], 'twilio devices of a number'))
}

function readDate(parameters: Parameters, name: string) {
  const text = parameters.get(name) ?? ''
  if (text === '') return undefined
  const at = readRequestDate(text)
  if (!at) throw invalid(`${name} must be a date, as 2026-11-21 or 2026-11-21T07:00:00Z`)
  return at
}
