import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import { formatDate, toDate } from '../../engine/fields/parse-date.ts'
import { findCronFault, listSkippedMonths, parseCron } from '../../engine/settings/cron.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { checkShape, makeRequiredTextSchema } from '../base/body-schemas.ts'
import { isTimeZone } from '../lines/check-zones-and-hours.ts'
import { keepFutureDate } from '../messages/send/message-expiry.ts'
import { COMMON, makeDateSchema } from '../messages/send/send-body-schema.ts'

/** The shortest time between runs of a repeating campaign. A run that is later than this counts as missed. */
export const MIN_INTERVAL_MS = 300_000
/** The number of 5-minute intervals in a day. */
const INTERVALS = 86_400_000 / MIN_INTERVAL_MS
const SHOWN_TIMES = 5
const MOST_TIMES = 100

const EXPECTED =
  'must be five fields of numbers: minute, hour, day (or L, the last of the month), month, day of the week, such as 30 8 * * 1 for Mondays at 8:30'

export const REPEAT = z
  .strictObject({
    cron: makeRequiredTextSchema(100)
      .refine((expression) => findCronFault(expression) === undefined, {
        error: EXPECTED,
        abort: true,
      })
      .refine(isRareEnough, 'must leave at least 5 minutes between two runs')
      .describe(
        'Minute, hour, day, month and day of the week (0 is Sunday), which must all match; or `@daily` and the like. `L` is the last day of the month, while `31` skips shorter months. At least 5 minutes between two runs.',
      ),
    time_zone: makeRequiredTextSchema(64)
      .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
      .nullish()
      .describe('Left out, that of the account, else UTC.'),
    missed: z
      .enum(['once', 'skip'])
      .nullish()
      .describe(
        'For a run that could not begin within 5 minutes, as in an outage: `skip` (default) omits it; `once` begins it late, and several missed runs as one.',
      ),
    until: makeDateSchema().nullish().describe('No run after this instant.'),
  })
  .meta({ id: 'CampaignRepeat' })
export type WantedRepeat = z.output<typeof REPEAT>

/** When a stored campaign repeats. `until`: no run after this PocketBase date; '' for no end. */
export type Repeat = { readonly [K in keyof WantedRepeat]-?: NonNullable<WantedRepeat[K]> }

/** Whether a valid cron expression's times are at least 5 minutes apart. Reads minutes and hours only. */
function isRareEnough(expression: string) {
  const [minute, hour] = expression.split(' ')
  const times = hour
    ? parseCron(`${minute} ${hour} * * *`).nextRuns(INTERVALS + 1, new Date(0))
    : []
  return times.every(
    (at, i) => i === 0 || at.getTime() - times[i - 1]!.getTime() >= MIN_INTERVAL_MS,
  )
}

/** Fills in what a request leaves out of a repetition. The default time zone is the account's. */
export async function completeRepeatRule(
  { db }: Store,
  user: string,
  wanted: WantedRepeat,
): Promise<Repeat> {
  const { cron, missed, until } = wanted
  const time_zone = wanted.time_zone ?? (await callFunction(db, 'sms_time_zone', user))
  return { cron, time_zone, missed: missed ?? 'skip', until: until ?? '' }
}

/** The first `count` times after an instant, none of them after `until`. */
export function listTimesAfter(
  { cron, time_zone, until }: Repeat,
  after: Date,
  count: number,
): Date[] {
  const times = parseCron(cron, time_zone).nextRuns(count, after)
  return times.filter((at) => until === '' || formatDate(at) <= until)
}

/**
 * The first `count` times at or after `from`, a PocketBase date. Throws 400 if there is none. Finding that
 * out takes 0.1 s, for example for 31 February on a Monday.
 */
export async function listTimesFrom(
  user: string,
  repeat: Repeat,
  from: string,
  count = 1,
): Promise<[string, ...string[]]> {
  const times = await admission.heavyWork.run(makeUserHolder(user), async () => {
    await admission.slices.next()
    return listTimesAfter(repeat, new Date(toDate(from)!.getTime() - 1), count)
  })
  const [first, ...more] = times.map(formatDate)
  if (first === undefined)
    throw invalidRequest('repeat.cron names no future time, or no time before repeat.until')
  return [first, ...more]
}

export const CAMPAIGN_TIMES = z
  .object({
    time_zone: z.string(),
    times: z.array(INSTANT).min(1).max(MOST_TIMES).describe('The next times.'),
    skipped_months: z
      .array(z.int().min(1).max(12))
      .describe(
        'Months that have too few days for `cron`, from 1: for the day 31, February, April, June, September and November. A day 29 names February, whose leap years have it.',
      ),
  })
  .meta({ id: 'CampaignTimes' })

/** The next `count` times of a repetition, at or after the date `from`. Throws 400 if there is none. */
export async function readTimes(
  store: Store,
  user: string,
  { repeat: wanted, from, count }: ReturnType<typeof readRepetition>,
) {
  const repeat = await completeRepeatRule(store, user, wanted)
  const times = await listTimesFrom(user, repeat, from, count)
  return { time_zone: repeat.time_zone, times, skipped_months: listSkippedMonths(repeat.cron) }
}

export const REPETITION = z
  .strictObject({
    repeat: REPEAT,
    scheduled_at: COMMON.scheduled_at,
    count: z
      .int()
      .min(1)
      .max(MOST_TIMES)
      .nullish()
      .describe(`How many times, up to ${MOST_TIMES}. Default: ${SHOWN_TIMES}.`),
  })
  .meta({ id: 'CampaignRepetition' })

/**
 * Parses a repetition, its earliest time (default: now) and how many times are wanted. Throws 400 that names
 * the first wrong field.
 */
export function readRepetition(raw: unknown, now: Date) {
  const { repeat, scheduled_at, count } = checkShape(REPETITION, raw)
  const from = keepFutureDate(scheduled_at, now) || formatDate(now)
  return { repeat, from, count: count ?? SHOWN_TIMES }
}
