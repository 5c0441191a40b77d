import { dateOf } from '../../fields/types/date.ts'

/** What a SID names, by its first two letters. */
export type SidKind = 'AC' | 'SK' | 'MG' | 'PN' | 'SM' | 'ME'

/** Ids of records that a SID can hold. */
const ID = /^[a-z0-9]{15}$/
const SID = /^([A-Z]{2})([0-9a-fA-F]{30})00$/

/** Whether a record's id fits into a SID; imported ones may not. */
export const hasSid = (id: string): boolean => ID.test(id)

/** Two letters, the 15 characters of the id in hex, `00`: what Twilio's SIDs look like. */
export const sidOf = (kind: SidKind, id: string): string => `${kind}${Buffer.from(id).toString('hex')}00`

/** The id in a SID of this kind; undefined for anything else. Messages may be called `MM`, too. */
export function idOf(kind: SidKind, sid: string): string | undefined {
  const [, prefix, hex] = SID.exec(sid) ?? []
  if (!hex || (prefix !== kind && !(kind === 'SM' && prefix === 'MM'))) return undefined
  const id = Buffer.from(hex, 'hex').toString('latin1')
  return hasSid(id) ? id : undefined
}

/** The version of Twilio's API, which its paths begin with. */
export const API_VERSION = '2010-04-01'

/** The path of an account, without `.json`. */
export const accountPath = (accountSid: string) => `/${API_VERSION}/Accounts/${accountSid}`

/** A stored date in RFC 2822's form, `Sat, 21 Nov 2026 07:00:00 +0000`; null for none. */
export const twilioDate = (stored: string): string | null =>
  dateOf(stored)?.toUTCString().replace('GMT', '+0000') ?? null

const DAY = /^\d{4}-\d\d-\d\d$/
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i

/** A date of a request, in milliseconds since 1970. */
export interface RequestDate {
  readonly ms: number
  /** A day without a time means the whole day. */
  readonly isDay: boolean
}

/** A day, or an instant in ISO 8601, without a zone in UTC. Undefined for anything else. */
export function readRequestDate(text: string): RequestDate | undefined {
  if (DAY.test(text)) return realDate(text, `${text}T00:00Z`, true)
  const [, day = '', time = '', zone = 'Z'] = INSTANT.exec(text) ?? []
  const colon = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return day === '' ? undefined : realDate(day, `${day}T${time}${colon}`, false)
}

/** Undefined for a day like 30 February, which JavaScript reads as a day of March. */
function realDate(day: string, iso: string, isDay: boolean): RequestDate | undefined {
  const ms = Date.parse(iso)
  const isReal =
    new Date(`${day}T00:00Z`).getTime() && new Date(`${day}T00:00Z`).toISOString().startsWith(day)
  return Number.isNaN(ms) || !isReal ? undefined : { ms, isDay }
}
