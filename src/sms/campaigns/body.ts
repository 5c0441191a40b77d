import { sql } from 'kysely'
import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { dateOf, formatDate } from '../../fields/date.ts'
import { INSTANT } from '../../fields/instant.ts'
import { cronFault, parseCron } from '../../settings/cron.ts'
import { isTimeZone } from '../hours.ts'
import { type Content, MAX_CHARACTERS, type NamedLine } from '../send/body.ts'
import { COMMON, date, TEMPLATE_SEND } from '../send/body-schema.ts'
import { checkLength } from '../send/content.ts'
import { checkExpiry, dateAt, future } from '../send/expiry.ts'
import { contentOf } from '../send/read-body.ts'
import { checkPhones } from '../send/recipients.ts'
import { invalid } from '../send/refusals.ts'
import { checkShape, nonEmptyId, nonEmptyText, text, visibleText, wholeNumber } from '../send/schemas.ts'

/** The shortest time between runs of a repeating campaign. A run that is later than this counts as missed. */
export const MIN_INTERVAL_MS = 300_000
/** The number of 5-minute intervals in a day. */
const INTERVALS = 86_400_000 / MIN_INTERVAL_MS
const SHOWN_TIMES = 5

const EXPECTED =
  'must be five fields of numbers: minute, hour, day, month, day of the week, such as 30 8 * * 1 for Mondays at 8:30'

const REPEAT = z
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
      .enum(['once', 'skip'])
      .nullish()
      .describe(
        'For a run that could not begin within 5 minutes, as in an outage: `skip` (default) omits it; `once` begins it late, and several missed runs as one.',
      ),
    until: date().nullish().describe('No run after this instant.'),
  })
  .meta({ id: 'CampaignRepeat' })
type WantedRepeat = z.output<typeof REPEAT>

/** When a stored campaign repeats. `until`: no run after this PocketBase date; '' for no end. */
export type Repeat = { readonly [K in keyof WantedRepeat]-?: NonNullable<WantedRepeat[K]> }

/** Whether a valid cron expression's times are at least 5 minutes apart. Reads minutes and hours only. */
function isCalm(expression: string) {
  const [minute, hour] = expression.split(' ')
  const times = hour ? parseCron(`${minute} ${hour} * * *`).nextRuns(INTERVALS + 1, new Date(0)) : []
  return times.every((at, i) => i === 0 || at.getTime() - times[i - 1]!.getTime() >= MIN_INTERVAL_MS)
}

async function timeZoneOf(db: Db, user: string): Promise<string> {
  const { zone } = await queries(db)
    .selectNoFrom(sql<string>`sms_time_zone(${user})`.as('zone'))
    .executeTakeFirstOrThrow()
  return zone
}

/** Fills in what a request leaves out of a repetition. The default time zone is the account's. */
export async function completeRepeat({ db }: Store, user: string, wanted: WantedRepeat): Promise<Repeat> {
  const { cron, missed, until } = wanted
  const time_zone = wanted.time_zone ?? (await timeZoneOf(db, user))
  return { cron, time_zone, missed: missed ?? 'skip', until: until ?? '' }
}

/** The first `count` times after an instant, none of them after `until`. */
export function timesAfter({ cron, time_zone, until }: Repeat, after: Date, count: number): Date[] {
  const times = parseCron(cron, time_zone).nextRuns(count, after)
  return times.filter((at) => until === '' || formatDate(at) <= until)
}

/**
 * The first `count` times at or after `from`, a PocketBase date. Throws 400 if there is none. Finding that
 * out takes 0.1 s, for example for 31 February on a Monday.
 */
export async function timesFrom(
  user: string,
  repeat: Repeat,
  from: string,
  count = 1,
): Promise<[string, ...string[]]> {
  const times = await admission.heavyWork.run(userHolder(user), async () => {
    await admission.slices.next()
    return timesAfter(repeat, new Date(dateOf(from)!.getTime() - 1), count)
  })
  const [first, ...more] = times.map(formatDate)
  if (first === undefined) throw invalid('repeat.cron names no future time, or no time before repeat.until')
  return [first, ...more]
}

export const CAMPAIGN_TIMES = z
  .object({
    time_zone: z.string(),
    times: z.array(INSTANT).min(1).max(SHOWN_TIMES).describe(`The next ${SHOWN_TIMES} times.`),
  })
  .meta({ id: 'CampaignTimes' })

/** The next 5 times of a repetition, at or after the PocketBase date `from`. Throws 400 if there is none. */
export async function readTimes(store: Store, user: string, wanted: WantedRepeat, from: string) {
  const repeat = await completeRepeat(store, user, wanted)
  return { time_zone: repeat.time_zone, times: await timesFrom(user, repeat, from, SHOWN_TIMES) }
}

export const MAX_AUDIENCE = 20_000
const MAX_HOLD_SECONDS = 3_600
/** The default delay of a campaign without `scheduled_at`, in which it can still be canceled. */
const HOLD_SECONDS = 10

/** The body of a request to change a campaign. Absent fields and `null` change nothing. */
export const CAMPAIGN_CHANGE = z
  .strictObject({
    name: text(255).nullish().describe('How it is called; left out, its text.'),
    body: visibleText().nullish().meta({
      maxLength: MAX_CHARACTERS,
      description:
        'The text; with `variables`, even `{}`, its `{{variables}}` are filled in. Excludes `template_id`.',
    }),
    template_id: nonEmptyId().nullish().describe('A record of `sms_templates`.'),
    variables: TEMPLATE_SEND.shape.variables,
    recipients: COMMON.recipients.describe(
      'Phone numbers in E.164. With the members of the groups at most 20,000 people.',
    ),
    group_ids: COMMON.group_ids,
    scheduled_at: COMMON.scheduled_at,
    hold_seconds: wholeNumber(0, MAX_HOLD_SECONDS)
      .nullish()
      .describe('Without `scheduled_at`: it begins after so many seconds, 10 when left out.'),
    expires_at: COMMON.expires_at.describe(
      'Messages that no device has claimed by then end as `failed`. Empty or absent: no end. With `repeat`, the end of the first run; each run has as much time.',
    ),
    repeat: REPEAT.nullish().describe(
      'It repeats: its first run is at the first time from `scheduled_at` on, and each run is a campaign of its own. Only one that repeats can be changed so.',
    ),
  })
  .meta({ id: 'CampaignChange' })

const { device_id, line_id, from, sim, priority, guarantee } = COMMON
export const CAMPAIGN = CAMPAIGN_CHANGE.extend({
  ...{ device_id, line_id, from, sim, priority, guarantee },
  requires_consent: z
    .boolean()
    .nullish()
    .describe(
      'True: recipients who have not given consent, for all purposes or for one of the groups, are left out and named. Always so if the template or a group requires it.',
    ),
  quiet_hours: COMMON.quiet_hours.describe(
    "Waits during the quiet hours of `user_settings`, by the recipients' time; true when left out.",
  ),
}).meta({ id: 'Campaign' })

/** A checked change of a campaign. Null leaves a part unchanged. Dates are PocketBase dates. */
export interface CampaignChange {
  readonly name: string | null
  readonly text: Content | null
  readonly audience: { readonly recipients: readonly string[]; readonly groupIds: readonly string[] } | null
  readonly scheduledAt: string | null
  readonly expiresAt: string | null
  readonly repeat: WantedRepeat | null
}

/** A checked new campaign. `options.device`: '' for any device. */
export type NewCampaign = Readonly<ReturnType<typeof readNewCampaign>>

/** Parses the body of a new campaign. Throws 400 that names the first wrong field. */
export function readNewCampaign(raw: unknown, now: Date) {
  const given = checkShape(CAMPAIGN, raw)
  const { name, text, audience, scheduledAt, expiresAt, repeat } = changeOf(given, now)
  if (!text) throw invalid('body or template_id must be given')
  if (!audience || audience.recipients.length + audience.groupIds.length === 0)
    throw invalid('recipients or group_ids must name at least one person')
  const begins = scheduledAt ?? beginOf(given.hold_seconds, now)
  checkExpiry({ expires_at: expiresAt }, begins)
  const options = {
    device: given.device_id ?? '',
    sim: given.sim ?? 0,
    priority: given.priority ?? 0,
    guarantee: given.guarantee ?? 'at_most_once',
    keepsQuiet: given.quiet_hours ?? true,
    requiresConsent: given.requires_consent ?? false,
  }
  const line: NamedLine = { id: given.line_id ?? '', number: given.from ?? '' }
  const times = { scheduledAt: begins, expiresAt: expiresAt ?? '', repeat }
  return { name: name ?? '', text, audience, line, options, ...times }
}

/** The body of a request for the times of a repetition. */
export const REPETITION = z
  .strictObject({ repeat: REPEAT, scheduled_at: COMMON.scheduled_at })
  .meta({ id: 'CampaignRepetition' })

/** Parses a repetition and its earliest time (default: now). Throws 400 that names the first wrong field. */
export function readRepetition(raw: unknown, now: Date) {
  const { repeat, scheduled_at } = checkShape(REPETITION, raw)
  return { repeat, scheduledAt: future(scheduled_at, now) || formatDate(now) }
}

/** Parses a change of a campaign. Throws 400 that names the first wrong field, or for an empty change. */
export function readCampaignChange(raw: unknown, now: Date): CampaignChange {
  const change = changeOf(checkShape(CAMPAIGN_CHANGE, raw), now)
  if (Object.values(change).some((part) => part !== null)) return change
  throw invalid('name, text, audience or time must be given')
}

function changeOf(given: z.output<typeof CAMPAIGN_CHANGE>, now: Date): CampaignChange {
  const { recipients, group_ids } = given
  const phones = [...new Set(recipients)]
  checkPhones(phones)
  const isTimed = given.scheduled_at != null || given.hold_seconds != null
  return {
    name: given.name ?? null,
    text: textOf(given),
    audience: recipients || group_ids ? { recipients: phones, groupIds: [...new Set(group_ids)] } : null,
    scheduledAt: isTimed ? future(given.scheduled_at, now) || beginOf(given.hold_seconds, now) : null,
    expiresAt: given.expires_at ?? null,
    repeat: given.repeat ?? null,
  }
}

function textOf({ body, template_id, variables }: z.output<typeof CAMPAIGN_CHANGE>) {
  if (body != null && template_id != null) throw invalid('body and template_id exclude each other')
  if (body == null && template_id == null) {
    if (variables == null) return null
    throw invalid('variables need a body or a template_id')
  }
  if (body != null) checkLength(body)
  return contentOf({ body: body!, template_id: template_id!, variables })
}

/** When a campaign without `scheduled_at` begins: after `holdSeconds`, in which it can be canceled. */
const beginOf = (holdSeconds: number | null | undefined, now: Date) =>
  holdSeconds === 0 ? formatDate(now) : dateAt(now.getTime() + (holdSeconds ?? HOLD_SECONDS) * 1000)
