/** Other date formats in Go's notation, tried in this order. github.com/spf13/cast, internal/time.go */
const LAYOUTS = [
  '2006-01-02',
  '2006-01-02T15:04:05Z07:00',
  '2006-01-02T15:04:05',
  'Mon, 02 Jan 2006 15:04:05 -0700',
  'Mon, 02 Jan 2006 15:04:05 MST',
  '02 Jan 06 15:04 -0700',
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  '2006-01-02 15:04:05.999 -0700 MST',
  '2006-01-02T15:04:05-0700',
  '2006-01-02 15:04:05Z0700',
  '2006-01-02 15:04:05',
  'Mon Jan _2 15:04:05 2006',
  'Mon Jan _2 15:04:05 MST 2006',
  'Mon Jan 02 15:04:05 -0700 2006',
  '2006-01-02 15:04:05Z07:00',
  '02 Jan 2006',
  '2006-01-02 15:04:05 -07:00',
  '2006-01-02 15:04:05 -0700',
  '3:04PM',
  'Jan _2 15:04:05',
  'Jan _2 15:04:05.000',
  'Jan _2 15:04:05.000000',
  'Jan _2 15:04:05.000000000',
]

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
/** Hours of a time zone, such as `+3`: at most 23. */
const HOURS = '[+-]0*(?:1?\\d|2[0-3])(?!\\d)'
/** A time zone's name: 3 capitals, 4 or 5 capitals ending in T, or hours like `+3` or `GMT+3`. Go: time */
const ZONE_NAME = `(?:ChST|MeST|GMT(?<ahead>${HOURS})?|${HOURS}|(?:[A-Z]{3,4}T|WITA|[A-Z]{3})(?![A-Z]))`

const ELEMENTS: Record<string, string> = {
  '2006': '(?<year>\\d{4})',
  '06': '(?<shortYear>\\d\\d)',
  '01': '(?<month>\\d\\d)',
  Jan: `(?<monthName>${MONTHS.map(matchAnyCase).join('|')})`,
  '02': '(?<day>\\d\\d)',
  _2: ' ?(?<day>\\d{1,2})',
  '15': '(?<hour>\\d{1,2})',
  '3': '(?<hour>\\d{1,2})',
  '04': '(?<minute>\\d\\d)',
  '05': '(?<second>\\d\\d)',
  PM: '(?<half>[AP]M)',
  Monday: `(?:${DAYS.map(matchAnyCase).join('|')})`,
  Mon: `(?:${DAYS.map((name) => matchAnyCase(name.slice(0, 3))).join('|')})`,
  MST: ZONE_NAME,
  'Z07:00': '(?<offset>Z|[+-]\\d\\d:\\d\\d)',
  Z0700: '(?<offset>Z|[+-]\\d{4})',
  '-07:00': '(?<offset>[+-]\\d\\d:\\d\\d)',
  '-0700': '(?<offset>[+-]\\d{4})',
  '.999': '(?:[.,](?<fraction>\\d+))?',
  '.000': '[.,](?<fraction>\\d{3})',
  '.000000': '[.,](?<fraction>\\d{6})',
  '.000000000': '[.,](?<fraction>\\d{9})',
  ' ': ' +',
}
const ELEMENT =
  /2006|\.999|\.0+|Z07:00|Z0700|-07:00|-0700|Monday|Mon|MST|Jan|_2|01|02|15|04|05|06|3|PM| /g

function matchAnyCase(word: string): string {
  return word.replace(/[a-z]/gi, (c) => `[${c.toUpperCase()}${c.toLowerCase()}]`)
}

/** Adds an optional fraction after the seconds of a layout, because Go accepts one. */
const addFraction = (layout: string) => layout.replace(/05(?!\.)/, '05.999')

const PATTERNS = LAYOUTS.map(
  (layout) =>
    new RegExp(`^${addFraction(layout).replace(ELEMENT, (element) => ELEMENTS[element]!)}$`),
)

type Found = Record<string, string | undefined>

/** Milliseconds since 1970 of a date in one of the layouts; undefined if none fits. */
export function parseLayouts(text: string): number | undefined {
  for (const pattern of PATTERNS) {
    const match = pattern.exec(text)
    const ms = match ? computeInstant(match.groups as Found) : undefined
    if (ms !== undefined) return ms
  }
  return undefined
}

function computeInstant(found: Found): number | undefined {
  const year = readFullYear(found)
  const month = found.monthName
    ? MONTHS.indexOf(found.monthName.toLowerCase())
    : Number(found.month ?? 1) - 1
  const day = Number(found.day ?? 1)
  const hour = readHour24(found)
  const [minute, second] = [Number(found.minute ?? 0), Number(found.second ?? 0)]
  if (hour === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const at = new Date(0)
  at.setUTCFullYear(year, month, day)
  if (at.getUTCMonth() !== month || at.getUTCDate() !== day) return undefined
  at.setUTCHours(hour, minute, second, Number((found.fraction ?? '').slice(0, 3).padEnd(3, '0')))
  const offset = readOffsetMs(found.offset)
  return offset === undefined ? undefined : at.getTime() - offset + readAheadMs(found)
}

/** The hours after GMT in milliseconds. PocketBase adds them: `12:00 GMT+2` becomes 14:00 UTC. */
const readAheadMs = ({ offset, ahead }: Found): number =>
  offset === undefined && ahead !== undefined ? Number(ahead) * 3_600_000 : 0

function readFullYear({ year, shortYear }: Found): number {
  if (shortYear === undefined) return Number(year ?? 0)
  return Number(shortYear) + (Number(shortYear) >= 69 ? 1900 : 2000)
}

function readHour24({ hour, half }: Found): number | undefined {
  const value = Number(hour ?? 0)
  if (half === undefined) return value
  if (value > 12) return undefined
  return (value % 12) + (half === 'PM' ? 12 : 0)
}

function readOffsetMs(offset: string | undefined): number | undefined {
  if (offset === undefined || offset === 'Z') return 0
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))]
  if (hours > 24 || minutes > 60) return undefined
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
