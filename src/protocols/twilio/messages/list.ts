import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import { formatDate } from '../../../fields/types/date.ts'
import { withoutSeparators } from '../../../sms/send/phone.ts'
import { type RequestDate, readRequestDate } from '../date.ts'
import { OWN_NUMBER } from '../numbers/own-number.ts'
import {
  cutPage,
  describePage,
  PAGE,
  PAGE_PARAMETERS,
  type PageRequest,
  readPage,
  unknownToken,
} from '../paging.ts'
import { type Parameters, refuseUnknown } from '../parameters.ts'
import { invalid } from '../refusal.ts'
import { sidOf } from '../sid.ts'
import { MESSAGE, MESSAGE_SQL, messageRow, renderMessage } from './message.ts'

export const MESSAGES = PAGE.extend({ messages: z.array(MESSAGE) }).meta({ id: 'TwilioMessages' })

const KNOWN: ReadonlySet<string> = new Set([
  'To',
  'From',
  'DateSent',
  'DateSent<',
  'DateSent>',
  ...PAGE_PARAMETERS,
])
const SECOND_MS = 1_000
const DAY_MS = 86_400_000

/** The user's messages in pages, newest first. Throws 20001, 21481 for a wrong token. */
export async function listMessages(
  store: Store,
  user: string,
  parameters: Parameters,
): Promise<z.output<typeof MESSAGES>> {
  refuseUnknown(parameters, KNOWN)
  const request = readPage(parameters, 'SM')
  const query = new ListQuery(user)
  query.filter(parameters, await devicesWith(store, user, numbersIn(parameters, 'To')))
  await query.page(store, request)
  const { rows } = await store.db.shaped(query.text(request), query.values)
  const { rows: kept, content } = cutPage(request, rows.map(messageRow))
  const place = { accountSid: sidOf('AC', user), path: '/Messages.json', kind: 'SM' } as const
  return {
    ...describePage(place, parameters, request, content),
    messages: kept.map((row) => renderMessage(row, user)),
  }
}

/** SQL: when a message was sent, or received; '' for neither. */
const DATE_SENT = `case m.message_type when 'incoming' then m.delivered_at else m.sent_at end`
const DEVICES = 'select id from devices where "user" = $1 and phone = any($2)'
const POSITION = 'select _rowid from sms_messages m where m.id = $1 and m."user" || \'\' = $2'

/** The statement of a list, with the conditions of its request; its values are bound. */
class ListQuery {
  readonly values: unknown[]
  readonly #conditions = ['m."user" = $1']
  #offset = 0

  constructor(user: string) {
    this.values = [user]
  }

  /** `devices` have the number in `To`: their incoming texts without a number show it. */
  filter(parameters: Parameters, devices: readonly string[]): void {
    const [to, from] = [numbersIn(parameters, 'To'), numbersIn(parameters, 'From')]
    if (to.length > 0) this.#addTo(to, devices)
    if (from.length > 0)
      this.#add(
        (at) => `(case m.message_type when 'incoming' then m."from" else ${OWN_NUMBER} end) = any(${at})`,
        from,
      )
    const on = readDate(parameters, 'DateSent')
    const [after, before] = [readDate(parameters, 'DateSent>'), readDate(parameters, 'DateSent<')]
    // libraries cannot send a plain date: midnight in UTC is the whole day
    if (on) this.#between(on.ms, on.ms + (on.isDay || on.ms % DAY_MS === 0 ? DAY_MS : SECOND_MS))
    if (after) this.#between(floorToSecond(after.ms), undefined)
    if (before)
      this.#between(undefined, before.isDay ? before.ms + DAY_MS : floorToSecond(before.ms) + SECOND_MS)
  }

  /** Limits the list to the page. Throws 21481 for a token whose message does not exist. */
  async page({ db }: Store, { page, size, from }: PageRequest): Promise<void> {
    if (!from) {
      this.#offset = page * size
      return
    }
    const { rows } = await db.query(POSITION, [from.id, this.values[0]], 'twilio position')
    if (!rows[0]) throw unknownToken()
    this.#add((at) => `m._rowid ${from.isBack ? '>' : '<'} ${at}`, rows[0][0])
  }

  text({ size, from }: PageRequest): string {
    const order = from?.isBack ? 'm._rowid nulls first' : 'm._rowid desc nulls last'
    const [limit, offset] = [this.#value(size + 1), this.#value(this.#offset)]
    return `${MESSAGE_SQL} where ${this.#conditions.join(' and ')} order by ${order}
      limit ${limit}::bigint offset ${offset}::bigint`
  }

  #addTo(numbers: readonly string[], devices: readonly string[]): void {
    const isTo = `m."to" = any(${this.#value(numbers)})`
    const isMine = (at: string) => `m."to" = '' and m.message_type = 'incoming' and m.device = any(${at})`
    // one number alone is read by its index
    this.#conditions.push(devices.length > 0 ? `(${isTo} or ${isMine(this.#value(devices))})` : isTo)
  }

  #between(fromMs: number | undefined, beforeMs: number | undefined): void {
    this.#conditions.push(`${DATE_SENT} <> ''`)
    if (fromMs !== undefined)
      this.#add((at) => `${DATE_SENT} >= ${at}`, formatDate(new Date(floorToSecond(fromMs))))
    if (beforeMs !== undefined)
      this.#add((at) => `${DATE_SENT} < ${at}`, formatDate(new Date(floorToSecond(beforeMs))))
  }

  #add(condition: (at: string) => string, value: unknown): void {
    this.#conditions.push(condition(this.#value(value)))
  }

  #value(value: unknown): string {
    return `$${this.values.push(value)}`
  }
}

/** A number of a filter as it was given and without separators; a name such as DHL-Info keeps its own. */
function numbersIn(parameters: Parameters, name: string): string[] {
  const given = parameters.get(name) ?? ''
  return [...new Set([given, withoutSeparators(given)])].filter((number) => number !== '')
}

async function devicesWith({ db }: Store, user: string, numbers: readonly string[]): Promise<string[]> {
  if (numbers.length === 0) return []
  const { rows } = await db.query(DEVICES, [user, numbers], 'twilio devices of a number')
  return rows.map(([id]) => String(id))
}

const floorToSecond = (ms: number) => Math.floor(ms / SECOND_MS) * SECOND_MS

function readDate(parameters: Parameters, name: string): RequestDate | undefined {
  const text = parameters.get(name) ?? ''
  if (text === '') return undefined
  const at = readRequestDate(text)
  if (!at) throw invalid(`${name} must be a date, as 2026-11-21 or 2026-11-21T07:00:00Z`)
  return at
}
