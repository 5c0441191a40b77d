import { formatDate, toDate } from '../../engine/fields/parse-date.ts'
import { findInstant, readOffsets } from '../../engine/settings/cron.ts'
import { REASONS } from '../base/message-status.ts'
import type { Reminder } from './reminder-body.ts'

// When reminders leave. A local time, and the beginning of a local day, is written as the milliseconds that
// UTC would have.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const QUARTER_MS = HOUR_MS / 4
/** A text that could not leave within this time is left out. */
const MOST_LATE_MS = DAY_MS
/** How far back dates are looked for, to name those that have passed. */
const SEEN_MS = 2 * DAY_MS

/** Why a reminder leaves no text. Others are REFUSED and the messages of refusals. */
export const REMINDER_REASONS = {
  passed: 'The date has passed',
  late: 'More than 24 hours late',
  noTime: 'The date has no time',
  noNumber: 'No valid phone number',
  changed: 'The record was changed',
  gone: 'The record was deleted or is not shown any more',
  restored: REASONS.restored,
} as const

/** The calendar of a time zone. A day that its clocks left out counts as the next one. */
export type Calendar = ReturnType<typeof openCalendar>
export function openCalendar(zone: string) {
  const read = readOffsets(zone || 'UTC')
  // reading one takes 0.1 ms; clocks change at quarters of an hour
  const known = new Map<number, number>()
  const offsets = (at: number) => {
    const quarter = Math.floor(at / QUARTER_MS)
    const offset = known.get(quarter) ?? read(at)
    known.set(quarter, offset)
    return offset
  }
  const findDay = (at: number) => floorDay(at + offsets(at))
  const toInstant = (local: number) =>
    findInstant(local, offsets) ?? findInstant(local + DAY_MS, offsets)!
  return { toLocal: (at: number) => at + offsets(at), findDay, toInstant }
}

const floorDay = (local: number) => local - (((local % DAY_MS) + DAY_MS) % DAY_MS)
const formatDay = (day: number) => formatDate(new Date(day)).slice(0, 10)
const parseDay = (value: string) => toDate(`${value.slice(0, 10)} 00:00:00.000Z`)?.getTime()

/** A text that is due before one date. Instants are milliseconds since 1970. */
export interface Occurrence {
  /** Names it within its record: the date as it is stored; each year's, if it comes each year. */
  readonly key: string
  /** When its text leaves; undefined if the date has no time, and needs one. */
  readonly due: number | undefined
  /** When the date has passed. */
  readonly ends: number
}

type Rule = Pick<Reminder, 'offset' | 'yearly' | 'has_time'>

/** Finds the text that is due before a stored date, the first one since `since` if it comes each year. */
export function findOccurrence(
  rule: Rule,
  calendar: Calendar,
  value: string,
  since: number,
): Occurrence | undefined {
  const at = rule.has_time ? readTime(value) : undefined
  const given = at === undefined ? parseDay(value) : calendar.findDay(at)
  if (given === undefined) return undefined
  const { day, key } = rule.yearly
    ? findAnniversary(given, calendar.findDay(since))
    : { day: given, key: value }
  const isWhole = rule.yearly || at === undefined
  const ends = isWhole ? calendar.toInstant(day + DAY_MS) : at
  return { key, due: computeDue(rule, calendar, day, at), ends }
}

const readTime = (value: string) => toDate(value)?.getTime()

/** A stored date by the calendar of the account: `2026-11-20 08:30`, or `2026-11-20` without a time. */
export function writeLocalDate(calendar: Calendar, value: string, hasTime: boolean): string {
  const at = hasTime ? readTime(value) : undefined
  return at === undefined
    ? value.slice(0, 10)
    : formatDate(new Date(calendar.toLocal(at))).slice(0, 16)
}

function computeDue({ offset }: Rule, calendar: Calendar, day: number, at: number | undefined) {
  if ('hours' in offset) return at === undefined ? undefined : at - offset.hours * HOUR_MS
  if (offset.at === '' && at === undefined) return undefined
  const time = offset.at === '' ? calendar.toLocal(at!) - calendar.findDay(at!) : readClock(offset)
  return calendar.toInstant(day - offset.days * DAY_MS + time)
}

function readClock({ at }: { readonly at: string }): number {
  const [hours, minutes] = at.split(':').map(Number) as [number, number]
  return hours * HOUR_MS + minutes * 60_000
}

/** The first day since `since` that has the day and month of `day`; 28 February where there is no 29th. */
function findAnniversary(day: number, since: number) {
  const date = new Date(day)
  const first = Math.max(date.getUTCFullYear(), new Date(since).getUTCFullYear())
  for (let year = first; ; year++) {
    const found = Date.UTC(year, date.getUTCMonth(), date.getUTCDate())
    const isThere = new Date(found).getUTCMonth() === date.getUTCMonth()
    const on = isThere ? found : found - DAY_MS
    if (on >= since) return { day: on, key: `${year}${formatDay(day).slice(4)}` }
  }
}

/** Why an occurrence leaves no text at `now`; '' if it leaves. Of those up to `unknownUntil` nobody knows. */
export function findTimeFault({ due, ends }: Occurrence, now: number, unknownUntil: number) {
  if (due !== undefined && due <= unknownUntil) return REMINDER_REASONS.restored
  if (ends <= now) return REMINDER_REASONS.passed
  if (due === undefined) return REMINDER_REASONS.noTime
  return due <= now - MOST_LATE_MS ? REMINDER_REASONS.late : ''
}

/** A text is of no use any more at this time. */
export const computeReminderExpiry = ({ due, ends }: Occurrence): number =>
  Math.min(ends, due! + MOST_LATE_MS)

/** From when on dates are looked at: two days back, but not before the reminder began. */
export const findFirstDate = (now: number, begins: number): number =>
  Math.max(now - SEEN_MS, begins)

/** Dates as they are stored: from `from` to before `to`, or by `days`, as `02-29`, if they come each year. */
export interface DateWindow {
  readonly from: string
  readonly to: string
  readonly days: readonly string[]
}

/** Where all dates since `since` are that are due by `now`, and few others. Without `now`: all later ones. */
export function findDateWindow(
  rule: Rule,
  calendar: Calendar,
  since: number,
  now?: number,
): DateWindow {
  const first = calendar.findDay(since)
  if (rule.yearly) {
    const last = now === undefined ? first + 365 * DAY_MS : findLastDay(rule, calendar, now)
    // an instant is written in UTC, where its day may be the one before or after
    const around = rule.has_time ? DAY_MS : 0
    return { from: '', to: '', days: listDays(first - around, last + around) }
  }
  const write = (at: number) => formatDate(new Date(at))
  const from = rule.has_time ? write(calendar.toInstant(first)) : formatDay(first)
  if (now === undefined) return { from, to: 'A', days: [] }
  const { offset } = rule
  const to =
    'hours' in offset
      ? write(now + offset.hours * HOUR_MS + 1)
      : rule.has_time
        ? write(calendar.toInstant(findLastDay(rule, calendar, now) + DAY_MS))
        : formatDay(findLastDay(rule, calendar, now) + DAY_MS)
  return { from, to, days: [] }
}

/** The last day whose occurrences may be due by `now`. */
function findLastDay({ offset }: Rule, calendar: Calendar, now: number): number {
  if ('hours' in offset) return calendar.findDay(now + offset.hours * HOUR_MS)
  const today = calendar.findDay(now)
  const isEarly = offset.at !== '' && calendar.toInstant(today + readClock(offset)) > now
  return today + (offset.days - (isEarly ? 1 : 0)) * DAY_MS
}

/** The days of a year, as `12-31`, from one day to another; 29 February with the 28th. */
function listDays(first: number, last: number): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day += DAY_MS) {
    const text = formatDay(day).slice(5)
    days.push(text)
    if (text === '02-28') days.push('02-29')
  }
  return days
}

/** When a reminder looks again, at the latest: at the next time of day, or after `pauseMs`. */
export function findNextLook(
  { offset }: Rule,
  calendar: Calendar,
  now: number,
  pauseMs: number,
): number {
  if ('hours' in offset || offset.at === '') return now + pauseMs
  const today = calendar.findDay(now)
  const times = [today, today + DAY_MS].map((day) => calendar.toInstant(day + readClock(offset)))
  return Math.min(now + pauseMs, ...times.filter((at) => at > now))
}
