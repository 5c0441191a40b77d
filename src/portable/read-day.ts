import type { AccountLocale } from './account-locale.ts'
import { toPlainText } from './phone/plain-text.ts'

/** The United States, and countries that write dates as they do. */
const MONTH_FIRST: ReadonlySet<string> = new Set('AS FM GU MH MP PR PW UM US VI'.split(' '))
/** Countries in which the year comes first, or people write both orders. All others begin with the day. */
const NO_ORDER: ReadonlySet<string> = new Set('CA CN HU JP KP KR LT MN PA PH TW'.split(' '))

/** A time that may follow a day, as `9:30`, `9h30`, `9.30 Uhr`; with a zone it is an instant. */
const TIME =
  '(?:(?:T|, ?| )(?<hour>[01]?\\d|2[0-3])[:.h](?<minute>[0-5]\\d)(?::(?<second>[0-5]\\d)(?:[.,]\\d{1,9})?)?' +
  '(?: ?(?<half>[ap])\\.?m\\.?)?(?: ?(?:Uhr|h))?(?: ?(?<zone>Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?))?)?$'
/** `2026-12-31`, `2026/12/31`, `2026. 12. 31.` */
const YEAR_FIRST = new RegExp(
  `^(?<year>\\d{4})(?<mark>[-/]|\\. ?)(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})(?:\\.|(?![\\d.]))${TIME}`,
  'i',
)
/** `31.12.2026`, `31. 12. 2026`: with dots, the day comes first everywhere. */
const DOTTED = new RegExp(
  `^(?<day>\\d{1,2})\\. ?(?<month>\\d{1,2})\\. ?(?<year>\\d{4})(?:\\.|(?![\\d.]))${TIME}`,
  'i',
)
/** `31/12/2026`, `12/31/2026`, `31-12-2026` */
const SLASHED = new RegExp(
  `^(?<one>\\d{1,2})(?<mark>[-/])(?<two>\\d{1,2})\\k<mark>(?<year>\\d{4})${TIME}`,
  'i',
)

type Groups = Readonly<Record<string, string | undefined>>

/**
 * Reads a day as people and programs write it, in any digits: `2026-12-31`, `31.12.2026`, and with slashes in
 * the order of the account's country. Without a known order, the only one that makes a date is read. An
 * instant is read as the day that it has in the account's time zone. Returns YYYY-MM-DD; undefined for all
 * that is no day, two days, or a year of two digits.
 */
export const readDay = (text: string, locale: AccountLocale): string | undefined =>
  readMoment(text, locale)?.slice(0, 10)

/** Reads a day as `readDay`, with the time that may follow it: `2026-12-31 09:30`, by the account. */
export function readMoment(text: string, locale: AccountLocale): string | undefined {
  const plain = toPlainText(text)
    .replace(/[年月]/g, '-')
    .replace('日', '')
  const dotted = YEAR_FIRST.exec(plain)?.groups ?? DOTTED.exec(plain)?.groups
  if (dotted) return readParts(dotted, dotted.month, dotted.day, locale)
  const slashed = SLASHED.exec(plain)?.groups
  if (!slashed) return undefined
  const { one, two } = slashed
  const [dayFirst, monthFirst] = [
    () => readParts(slashed, two, one, locale),
    () => readParts(slashed, one, two, locale),
  ]
  if (MONTH_FIRST.has(locale.country)) return monthFirst()
  if (locale.country && !NO_ORDER.has(locale.country)) return dayFirst()
  const [found, other] = [...new Set([dayFirst(), monthFirst()])].filter(Boolean)
  return other ? undefined : found
}

function readParts(
  { year, hour, minute, second, half, zone }: Groups,
  month: string | undefined,
  day: string | undefined,
  locale: AccountLocale,
): string | undefined {
  const written = [year, month, day].map((part) => part!.padStart(2, '0')).join('-')
  const midnight = new Date(`${written}T00:00:00Z`)
  // the 31st of February becomes another day
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(written)
  const hours = readHours(Number(hour ?? 0), half)
  if (!isDay || hours === undefined) return undefined
  if (!minute) return written
  if (!zone) return `${written} ${String(hours).padStart(2, '0')}:${minute}`
  const time = (hours * 60 + Number(minute)) * 60 + Number(second ?? 0)
  const offset = readOffset(zone)
  if (offset === undefined) return undefined
  const found = findMoment(midnight.getTime() + time * 1000 - offset * 60_000, locale.zone)
  // the year 10000
  return found.indexOf(' ') === written.length ? found : undefined
}

/** Hours of the day of a clock with 24 or, with `half` (`a` or `p`), with 12 hours. */
function readHours(hour: number, half: string | undefined): number | undefined {
  if (!half) return hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}

/** The minutes by which a zone is ahead of UTC. */
function readOffset(zone: string): number | undefined {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** An instant by the clocks of a time zone; a zone that this program does not know counts as UTC. */
function findMoment(at: number, zone: string): string {
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const options = { ...day, hour: '2-digit', minute: '2-digit' } as const
  const write = (timeZone: string) =>
    new Intl.DateTimeFormat('sv', { ...options, timeZone }).format(at)
  try {
    return write(zone || 'UTC')
  } catch {
    return write('UTC')
  }
}
