import { Cron } from 'croner'

const MACRO = '@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)'
const NUMBER = String.raw`\+?\d+`
const STEP = String.raw`(?:/\+?[1-5]?\d)?`
const PART = `(?:(?:\\*|${NUMBER}-${NUMBER})${STEP}|${NUMBER}(?:/\\+?0*1)?)`
const SEGMENT = `${PART}(?:,${PART})*`
/** Step of a single number, as in `5/1`. PocketBase allows only 1. Croner allows none: it is removed. */
const STEP_OF_ONE = /\/0*1(?=[ ,]|$)/g
/** Days of the month. `L` is the last one, which PocketBase's expressions cannot say. */
const DAYS = `(?:L|${PART})(?:,(?:L|${PART}))*`
/** Minute, hour, day, month, day of the week (Sunday is 0, never 7). */
const EXPRESSION = new RegExp(
  `^(?:${MACRO}|(?:${SEGMENT} ){2}${DAYS} ${SEGMENT} (?!.*[7-9])${SEGMENT})$`,
)

/** Minute and hour without a wildcard or step: such times run once, whatever the clocks do. */
const FIXED_TIME = /^[\d,-]+ [\d,-]+ /

/** The times of a cron expression, each strictly after `after`. */
interface Schedule {
  nextRun(after: Date): Date | null
  nextRuns(count: number, after: Date): Date[]
}

/**
 * Parses PocketBase's cron expressions, and `L`, the last day of the month. Throws an Error for others.
 * PocketBase: tools/cron/schedule.go
 *
 * In a time zone, a fixed time that the clocks show twice runs once, the first time. One that they leave out
 * runs when they are put forward, also if that is midnight: croner, which would search on the same day only,
 * omits it then.
 */
export function parseCron(expression: string, timezone = 'UTC'): Schedule {
  if (!EXPRESSION.test(expression)) {
    throw new Error(
      'invalid cron expression - must be a valid macro or to have exactly 5 space separated segments',
    )
  }
  const pattern = expression.replaceAll('+', '').replace(STEP_OF_ONE, '')
  const isLocal = timezone !== 'UTC' && (FIXED_TIME.test(pattern) || isDaily(pattern))
  const cron = new Cron(pattern, {
    timezone: isLocal ? 'UTC' : timezone,
    mode: '5-part',
    domAndDow: true,
    fixedTimeRule: 'no-wildcard',
  })
  return isLocal ? makeLocalSchedule(cron, timezone) : cron
}

const isDaily = (pattern: string) => pattern.startsWith('@') && pattern !== '@hourly'

/** Runs at the local times that `cron` has in UTC. */
function makeLocalSchedule(cron: Cron, timezone: string): Schedule {
  const offsets = readOffsets(timezone)
  const nextRuns = (count: number, after: Date): Date[] => {
    const found: Date[] = []
    let last = after.getTime()
    let local = cron.nextRun(new Date(findEarliestLocal(last, offsets) - 1000))
    for (; local && found.length < count; local = cron.nextRun(local)) {
      const at = findInstant(local.getTime(), offsets)
      // two times that the clocks leave out are one run
      if (at === undefined || at <= last) continue
      found.push(new Date(at))
      last = at
    }
    return found
  }
  return { nextRuns, nextRun: (after) => nextRuns(1, after)[0] ?? null }
}

export function findCronFault(expression: string): string | undefined {
  try {
    parseCron(expression)
    return undefined
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, 'invalid cron expression - ')
  }
}

/** A year without 29 February. */
const COMMON_YEAR = 2027

/** The months, from 1, whose days are too few for a valid cron expression: for the day 31 all short ones. */
export function listSkippedMonths(expression: string): number[] {
  const [, , day, month] = expression.split(' ')
  if (!day) return []
  const listMonths = (days: string) => {
    const schedule = parseCron(`0 0 ${days} ${month} *`)
    return Array.from({ length: 12 }, (_, i) => i + 1).filter((number) => {
      const next = schedule.nextRun(new Date(Date.UTC(COMMON_YEAR, number - 1, 0)))
      return next?.getUTCFullYear() === COMMON_YEAR && next.getUTCMonth() + 1 === number
    })
  }
  const withRuns = listMonths(day)
  return listMonths('1').filter((number) => !withRuns.includes(number))
}

// Local times of a time zone as instants. A local time is written as the milliseconds that UTC would have.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The offset of a zone's clocks from UTC at an instant. */
type Offsets = (at: number) => number

/** The offsets of a time zone, by its IANA name. */
export function readOffsets(zone: string): Offsets {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const shown = new Map<string, number>()
    for (const { type, value } of format.formatToParts(at)) shown.set(type, Number(value))
    const [year, month, day, hour, minute, second] = [
      'year',
      'month',
      'day',
      'hour',
      'minute',
      'second',
    ].map((type) => shown.get(type)!) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
  }
}

/** An earlier bound of the local times that clocks may show after an instant. */
const findEarliestLocal = (after: number, offsets: Offsets): number =>
  after + Math.min(offsets(after - DAY_MS), offsets(after + DAY_MS))

/**
 * The instant at which clocks show a local time: of two, the first. One that they leave out is the instant at
 * which they are put forward; undefined if they leave out its whole day, as Samoa did on 30 December 2011.
 */
export function findInstant(local: number, offsets: Offsets): number | undefined {
  const [before, after] = [offsets(local - DAY_MS), offsets(local + DAY_MS)]
  const shown = [local - before, local - after].filter((at) => at + offsets(at) === local)
  if (shown.length > 0) return Math.min(...shown)
  if (after - before >= DAY_MS) return undefined
  let [low, high] = [local - after, local - before]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (offsets(middle) === before) low = middle
    else high = middle
  }
  return high
}
