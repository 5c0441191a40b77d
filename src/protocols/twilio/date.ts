import { dateOf } from '../../fields/types/date.ts'

/** A stored date in RFC 2822's form, `Sat, 21 Nov 2026 07:00:00 +0000`; null for none. */
export const twilioDate = (stored: string): string | null =>
  dateOf(stored)?.toUTCString().replace('GMT', '+0000') ?? null

const DAY = /^\d{4}-\d\d-\d\d$/
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?$/i

/** A date of a request, in milliseconds since 1970. */
export interface RequestDate {
  readonly ms: number
  /** A day without a time: all of it is meant. */
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
