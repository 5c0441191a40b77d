import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { readNumber } from '../../gateway/base/read-numbers.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { readRequestDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { OWN_NUMBER } from './own-twilio-number.ts'
import type { Parameters } from './parameters.ts'
import { makeInvalidError } from './twilio-errors.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

/** SQL: when a message was sent, or received; '' for neither. */
const DATE_SENT = `case m.message_type when 'incoming' then m.delivered_at else m.sent_at end`

/**
 * SQL conditions of a list's parameters on messages `m`. An incoming text without a recipient matches `To` if
 * a device with that number received it.
 */
export async function writeMessageFilter(
  call: Call,
  bound: (value: unknown) => string,
): Promise<string[]> {
  const { store, user, parameters } = call
  const [to, from] = [await readFilterNumbers(call, 'To'), await readFilterNumbers(call, 'From')]
  const devices = to.length > 0 ? await findDevicesWith(store, user, to) : []
  const conditions: string[] = []
  const between = (fromMs?: number, beforeMs?: number) => {
    const second = (ms: number) =>
      bound(formatDate(new Date(Math.floor(ms / SECOND_MS) * SECOND_MS)))
    conditions.push(`${DATE_SENT} <> ''`)
    if (fromMs !== undefined) conditions.push(`${DATE_SENT} >= ${second(fromMs)}`)
    if (beforeMs !== undefined) conditions.push(`${DATE_SENT} < ${second(beforeMs)}`)
  }
  if (to.length > 0) {
    const isTo = `m."to" = any(${bound(to)})`
    const isMine = `m."to" = '' and m.message_type = 'incoming' and m.device = any`
    // `or` only if there are devices: the condition on the number alone can use an index
    conditions.push(devices.length > 0 ? `(${isTo} or ${isMine}(${bound(devices)}))` : isTo)
  }
  if (from.length > 0) {
    const sender = `case m.message_type when 'incoming' then m."from" else ${OWN_NUMBER} end`
    conditions.push(`(${sender}) = any(${bound(from)})`)
  }
  const on = readDate(parameters, 'DateSent')
  const [after, before] = [readDate(parameters, 'DateSent>'), readDate(parameters, 'DateSent<')]
  // midnight in UTC means the whole day: Twilio's libraries cannot send a plain date
  if (on) between(on.ms, on.ms + (on.isDay || on.ms % DAY_MS === 0 ? DAY_MS : SECOND_MS))
  if (after) between(after.ms)
  if (before) between(undefined, before.ms + (before.isDay ? DAY_MS : SECOND_MS))
  return conditions
}

/** The number in a filter in E.164, and as given, since it may be the name of a sender. */
async function readFilterNumbers(
  { store, user, parameters }: Call,
  name: string,
): Promise<string[]> {
  const given = parameters.get(name) ?? ''
  const number = await readNumber(store, user, given)
  return [...new Set([given, number ?? ''])].filter((one) => one !== '')
}

async function findDevicesWith(
  { db }: Store,
  user: string,
  phones: readonly string[],
): Promise<string[]> {
  const devices = await queries(db)
    .selectFrom('devices')
    .select('id')
    .where('user', '=', user)
    .where('phone', '=', matchAny(phones))
    .execute()
  return devices.map(({ id }) => id)
}

function readDate(parameters: Parameters, name: string) {
  const text = parameters.get(name) ?? ''
  if (text === '') return undefined
  const at = readRequestDate(text)
  if (!at) throw makeInvalidError(`${name} must be a date, as 2026-11-21 or 2026-11-21T07:00:00Z`)
  return at
}
