import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { objectsOf } from '../../db/statement.ts'
import { ApiError, GatewayError, RetryLater } from '../../errors.ts'
import { cleanText } from '../../fields/cast.ts'
import { dateOf } from '../../fields/date.ts'
import type { ErrorForm } from '../../http/context.ts'
import { sendError } from '../../http/middleware/failure.ts'
import { urlFault } from '../../outgoing/send.ts'
import type { OTHER_REFUSALS, RefusalCode } from '../../sms/send/refusals.ts'
import { decodeForm } from '../../tools/charset.ts'

/** An error answer of Twilio's API. */
export class TwilioRefusal extends GatewayError {
  override name = 'TwilioRefusal'
  /** Twilio's error code. https://www.twilio.com/docs/api/errors */
  readonly code: number

  constructor(code: number, message: string, status = STATUSES[code] ?? 400) {
    super(status, { error: String(code), message })
    this.code = code
  }
}

/** HTTP statuses by Twilio's error code. Other codes have 400 (wrong parameters). */
const STATUSES: Readonly<Record<number, number>> = {
  20003: 401,
  20004: 405,
  20009: 409,
  20404: 404,
  20429: 429,
  20500: 500,
  20503: 503,
  21701: 404,
  30409: 409,
  60202: 429,
  60203: 429,
  60212: 429,
  60410: 403,
  63038: 429,
}

/** Twilio's error codes for our refusals. Others get 20001 (wrong parameters). */
const CODES: Partial<Record<RefusalCode | (typeof OTHER_REFUSALS)[keyof typeof OTHER_REFUSALS], number>> = {
  unauthorized: 20003,
  forbidden: 20003,
  invalid_phone_number: 21211,
  body_too_long: 21617,
  destination_not_allowed: 21408,
  device_not_found: 21606,
  line_not_allowed: 21606,
  message_not_found: 20404,
  not_found: 20404,
  not_cancelable: 30409,
  quota_exceeded: 63038,
  no_devices: 20503,
  verification_not_found: 20404,
  service_not_found: 20404,
  recipient_opted_out: 21610,
  destination_stopped: 60410,
  resend_too_soon: 60212,
  number_limit_reached: 60203,
  sender_limit_reached: 60203,
}

export const INVALID = 20001
export const invalid = (message: string) => new TwilioRefusal(INVALID, message)
export const notFound = () => new TwilioRefusal(20404, 'The requested resource was not found')
export const unauthorized = () =>
  new TwilioRefusal(20003, 'Authenticate with an AccountSid or key SID and its token, of a key made for this')

/** Converts any error to the form of Twilio's API. An internal error becomes a 500. */
export function refusalFor(error: unknown): TwilioRefusal {
  if (error instanceof TwilioRefusal) return error
  if (error instanceof GatewayError)
    return ofCode(String(error.body.error), error.message, error.status === 413 ? 413 : undefined)
  if (error instanceof RetryLater && error.code) return ofCode(error.code, error.message)
  const { status, message } = error instanceof ApiError ? error : new ApiError(500)
  const ours = 20_000 + status
  // 20003 for 401 and 403, else 20000 + status if Twilio has that code, else 20001 (wrong parameters)
  const code = status === 401 || status === 403 ? 20003 : ours in STATUSES ? ours : INVALID
  return new TwilioRefusal(code, message, code === INVALID ? status : undefined)
}

const ofCode = (ours: string, message: string, status?: number) =>
  new TwilioRefusal(CODES[ours as RefusalCode] ?? INVALID, message, status)

/** Errors in Twilio's form, with exactly its keys: clients recognize Twilio's errors by them. */
export const twilioForm: ErrorForm = (c, error) => {
  const { code, message, status } = refusalFor(error)
  if (status === 401) c.header('www-authenticate', 'Basic realm="Twilio API"')
  const more_info = `https://www.twilio.com/docs/errors/${code}`
  return sendError(c, status, { code, message, more_info, status })
}

/** The first two letters of a SID say what it names. */
type SidKind = 'AC' | 'SK' | 'MG' | 'PN' | 'SM' | 'ME' | 'VA' | 'VE' | 'VL'

/** A record's id that fits into a SID. */
const ID = /^[a-z0-9]{15}$/
const SID = /^([A-Z]{2})([0-9a-fA-F]{30})00$/

/** Whether a record's id fits into a SID. Ids of imported records may not. */
export const hasSid = (id: string): boolean => ID.test(id)

/** A SID that looks like Twilio's: two letters, the 15 characters of the id in hex, and `00`. */
export const sidOf = (kind: SidKind, id: string): string => `${kind}${Buffer.from(id).toString('hex')}00`

/** The id in a SID of this kind; undefined for anything else. `MM` also means a message. */
export function idOf(kind: SidKind, sid: string): string | undefined {
  const [, prefix, hex] = SID.exec(sid) ?? []
  if (!hex || (prefix !== kind && !(kind === 'SM' && prefix === 'MM'))) return undefined
  const id = Buffer.from(hex, 'hex').toString('latin1')
  return hasSid(id) ? id : undefined
}

export const API_VERSION = '2010-04-01'

export const accountPath = (user: string) => `/${API_VERSION}/Accounts/${sidOf('AC', user)}`

/** A stored date in RFC 2822's form, `Sat, 21 Nov 2026 07:00:00 +0000`; null for none. */
export const twilioDate = (stored: string): string | null =>
  dateOf(stored)?.toUTCString().replace('GMT', '+0000') ?? null

const DAY = z.iso.date()
const INSTANT = z.iso.datetime({ offset: true, local: true })

/** Reads a day, or an instant in ISO 8601 (UTC if it has no zone); else undefined. `ms`: since 1970. */
export function readRequestDate(text: string) {
  if (DAY.safeParse(text).success) return { ms: Date.parse(text), isDay: true }
  const colons = text.toUpperCase().replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
  const instant = colons.replace(/(T\d\d:\d\d)(?=Z|[+-]|$)/, '$1:00')
  if (!INSTANT.safeParse(instant).success) return undefined
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(instant)
  return { ms: Date.parse(hasZone ? instant : `${instant}Z`), isDay: false }
}

/** Parameters of a form or a query; the first of repeated ones counts. */
export type Parameters = ReadonlyMap<string, string>

const MAX_PARAMETERS = 200

/** The parameters of a form or a query, by its charset. Throws 400 for more than 200 and for wrong bytes. */
export function readParameters(bytes: Buffer, charset = ''): Parameters {
  const pairs = decodeForm(bytes, charset, MAX_PARAMETERS + 1)
  if (pairs.length > MAX_PARAMETERS) throw invalid(`A request has at most ${MAX_PARAMETERS} parameters`)
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs) if (!parameters.has(name)) parameters.set(name, cleanText(value))
  return parameters
}

/** Throws TwilioRefusal 20001 for a parameter that is not in `known`, unless it is empty. */
export function refuseUnknown(parameters: Parameters, known: readonly string[]): void {
  for (const [name, value] of parameters)
    if (!known.includes(name) && value !== '')
      throw invalid(`${SHORT.test(name) ? name : 'A parameter'} is not supported here`)
}

/** A parameter's name that is safe to quote in an error message. */
const SHORT = /^[\w<>.]{1,60}$/

const MAX_URL = 2_048

/** Returns `url` if it may be called. Throws a TwilioRefusal with `code` if it is invalid or forbidden. */
export function readAddress(name: string, url: string, code: number, allowPrivate: boolean): string {
  const fault = url.length > MAX_URL ? 'not_a_url' : urlFault(url, allowPrivate)
  if (fault === undefined) return url
  if (fault === 'private' || fault === 'not_https')
    throw new TwilioRefusal(
      code,
      `${name} is private or plain http, which this server calls only with WEBHOOK_ALLOW_PRIVATE`,
    )
  throw new TwilioRefusal(code, `${name} must be an absolute http or https address`)
}

const DEFAULT_SIZE = 50
const MAX_SIZE = 1_000
const MAX_PAGE = 1_000_000

export const PAGE_PARAMETERS: readonly string[] = ['PageSize', 'Page', 'PageToken']

type PageRequest = ReturnType<typeof readPage>

/**
 * Reads which page a request wants. The result's `from` is the record of the PageToken, if any: the page lies
 * directly before or after it. Throws TwilioRefusal 20001 for a wrong number, 21481 for a wrong token.
 */
export function readPage(parameters: Parameters, kind: SidKind) {
  const size = wholeNumber(parameters, 'PageSize', DEFAULT_SIZE, 1)
  const page = wholeNumber(parameters, 'Page', 0, 0)
  if (page > MAX_PAGE) throw invalid(`Page must be at most ${MAX_PAGE}`)
  const token = parameters.get('PageToken') ?? ''
  const from = token === '' ? undefined : readToken(token, kind)
  return { parameters, kind, page, size: Math.min(size, MAX_SIZE), from }
}

function wholeNumber(parameters: Parameters, name: string, absent: number, min: number): number {
  const text = parameters.get(name) ?? ''
  if (text === '') return absent
  if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text)
  throw invalid(`${name} must be a whole number from ${min}`)
}

function readToken(token: string, kind: SidKind) {
  const [, way, sid = ''] = /^P([AB])(.*)$/.exec(token) ?? []
  const id = idOf(kind, sid)
  if (!way || !id) throw unknownToken()
  return { id, isBack: way === 'B' }
}

export const unknownToken = () => new TwilioRefusal(21481, 'The PageToken is not known')

/**
 * The fields of a page, with links. No other keys: clients would take an unknown one for the list of records.
 */
export function describePage(
  path: string,
  { parameters, kind, page, size, from }: PageRequest,
  { ids, hasOlder, hasNewer }: { readonly ids: readonly string[]; hasOlder: boolean; hasNewer: boolean },
) {
  const isOurs = (name: string) => PAGE_PARAMETERS.includes(name)
  const filters = [...parameters].filter(([name, value]) => !isOurs(name) && value !== '')
  const uri = (number: number, token = '') => {
    const query = new URLSearchParams([...filters, ['PageSize', String(size)], ['Page', String(number)]])
    if (token) query.set('PageToken', token)
    return `${path}?${query}`
  }
  const start = page * size
  const [first, last] = [ids[0], ids.at(-1)]
  const token = from && `P${from.isBack ? 'B' : 'A'}${sidOf(kind, from.id)}`
  return {
    end: start + Math.max(ids.length - 1, 0),
    first_page_uri: uri(0),
    next_page_uri: hasOlder && last ? uri(page + 1, `PA${sidOf(kind, last)}`) : null,
    page,
    page_size: size,
    previous_page_uri: hasNewer && page > 0 && first ? uri(page - 1, `PB${sidOf(kind, first)}`) : null,
    start,
    uri: uri(page, token),
  }
}

/**
 * Reads a page of rows, newest first. `sql` must end in its `where` conditions: more are appended. Throws
 * TwilioRefusal 21481 for an unknown page token.
 */
export async function readRows<T extends { readonly id: string }>(
  db: Db,
  path: string,
  [table, alias]: readonly [table: string, alias: string],
  sql: string,
  values: readonly unknown[],
  request: PageRequest,
) {
  const { page, size, from } = request
  const bound = [...values]
  const order = from?.isBack ? 'nulls first' : 'desc nulls last'
  const place = (value: unknown) => `$${bound.push(value)}`
  let after = ''
  if (from) {
    const position = `select _rowid from ${table} r where r.id = $1 and r."user" || '' = $2`
    const { rows } = await db.query(position, [from.id, values[0]], `twilio position in ${table}`)
    if (!rows[0]) throw unknownToken()
    after = ` and ${alias}._rowid ${from.isBack ? '>' : '<'} ${place(rows[0][0])}`
  }
  const [limit, offset] = [place(size + 1), place(from ? 0 : page * size)]
  const text = `${sql}${after} order by ${alias}._rowid ${order} limit ${limit}::bigint offset ${offset}::bigint`
  const found = objectsOf<T>(await db.shaped(text, bound))
  const rows = found.slice(0, size)
  if (from?.isBack) rows.reverse()
  const isMore = found.length > size
  const [hasOlder, hasNewer] = from?.isBack ? [true, isMore] : [isMore, page > 0]
  return { rows, page: describePage(path, request, { ids: rows.map(({ id }) => id), hasOlder, hasNewer }) }
}
