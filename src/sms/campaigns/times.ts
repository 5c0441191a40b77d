import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import { runForRow, statement, text } from '../../db/statement.ts'
import { dateOf, formatDate } from '../../fields/date.ts'
import { INSTANT } from '../../fields/instant.ts'
import { cronFault, parseCron } from '../../settings/cron.ts'
import { isTimeZone } from '../hours.ts'
import { date } from '../send/body.ts'
import { invalid, nonEmptyText } from '../send/shape.ts'

/** The shortest time between two runs. A run that begins later than this was missed. */
export const MIN_INTERVAL_MS = 300_000
/** A day of times with the shortest interval has so many intervals. */
const INTERVALS = 288
const SHOWN_TIMES = 5

const EXPECTED =
  'must be five fields of numbers: minute, hour, day, month, day of the week, such as 30 8 * * 1 for Mondays at 8:30'

/** When a campaign repeats, as requested. */
export const REPEAT = z
  .strictObject({
    cron: nonEmptyText(100)
      .refine((expression) => cronFault(expression) === undefined, { error: EXPECTED, abort: true })
      .refine(isCalm, 'must leave at least 5 minutes between two runs')
      .describe(
        'Minute, hour, day, month and day of the week (0 is Sunday), which must all match; or `@daily` and the like. At least 5 minutes between two runs.',
      ),
    time_zone: nonEmptyText(64)
      .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
      .nullish()
      .describe('Left out, that of the account, else UTC.'),
    missed: z
      .enum(['once', 'skip'], 'must be once or skip')
      .nullish()
      .describe(
        'What becomes of a run that could not begin within 5 minutes, as in an outage: `skip`, as when left out, leaves it out; `once` begins it late, and several as one.',
      ),
    until: date().nullish().describe('No run after this instant.'),
  })
  .meta({ id: 'CampaignRepeat' })
export type WantedRepeat = z.output<typeof REPEAT>

/** When a campaign repeats, as stored. `until`: a PocketBase date, '' for none. */
export type Repeat = { readonly [K in keyof WantedRepeat]-?: NonNullable<WantedRepeat[K]> }

/** Whether the times of a valid expression are far enough apart, were each day to match. */
function isCalm(expression: string): boolean {
  const [minute, hour] = expression.split(' ')
  const times = hour ? parseCron(`${minute} ${hour} * * *`).nextRuns(INTERVALS + 1, new Date(0)) : []
  return times.every((at, i) => i === 0 || at.getTime() - times[i - 1]!.getTime() >= MIN_INTERVAL_MS)
}

const ZONE = statement('sms time zone', { zone: 'string' })`select sms_time_zone(${text('user')}) as zone`

/** Fills in what a request leaves out: the time zone is the account's. */
export async function completeRepeat({ db }: Store, user: string, wanted: WantedRepeat): Promise<Repeat> {
  const { cron, missed, until } = wanted
  const time_zone = wanted.time_zone ?? (await runForRow(db, ZONE, { user }))!.zone
  return { cron, time_zone, missed: missed ?? 'skip', until: until ?? '' }
}

/** The first times after an instant, up to `until`. */
export function timesAfter({ cron, time_zone, until }: Repeat, after: Date, count: number): Date[] {
  const times = parseCron(cron, time_zone).nextRuns(count, after)
  return times.filter((at) => until === '' || formatDate(at) <= until)
}

/**
 * The first times not before a PocketBase date. Throws 400 if there is none. To find none, such as for
 * 31 February on a Monday, takes 0.1 s.
 */
export async function timesFrom(
  user: string,
  repeat: Repeat,
  from: string,
  count = 1,
): Promise<[string, ...string[]]> {
  const times = await admission.heavyWork.run(userHolder(user), async () => {
    await admission.bodySlices.next()
    return timesAfter(repeat, new Date(dateOf(from)!.getTime() - 1), count)
  })
  const [first, ...more] = times.map(formatDate)
  if (first === undefined) throw invalid('repeat.cron names no time to come, or none before repeat.until')
  return [first, ...more]
}

export const CAMPAIGN_TIMES = z
  .object({
    time_zone: z.string(),
    times: z.array(INSTANT).min(1).max(SHOWN_TIMES).describe(`The next ${SHOWN_TIMES} times.`),
  })
  .meta({ id: 'CampaignTimes' })

/** The next times of a repetition. Throws 400 if there is none. */
export async function readTimes(store: Store, user: string, wanted: WantedRepeat, from: string) {
  const repeat = await completeRepeat(store, user, wanted)
  return { time_zone: repeat.time_zone, times: await timesFrom(user, repeat, from, SHOWN_TIMES) }
}
