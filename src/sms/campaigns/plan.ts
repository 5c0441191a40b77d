import { sql, type UpdateObject } from 'kysely'
import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { NOW, queries } from '../../db/queries.ts'
import type { Tables } from '../../db/tables.ts'
import { GatewayError } from '../../errors.ts'
import { dateOf, formatDate } from '../../fields/date.ts'
import { INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import { countSegments } from '../../portable/segments.ts'
import { derivedId, randomId } from '../../tools/random.ts'
import { consentOf } from '../consent/required.ts'
import type { Content } from '../send/body.ts'
import { loadTemplate, TEXT, writeTexts } from '../send/content.ts'
import { movedExpiry } from '../send/expiry.ts'
import { type Permit, requireReach, type Way } from '../send/judge.ts'
import { optedOut } from '../send/opted-out.ts'
import { LAST_LEAVES_AT, lastLeavesAt } from '../send/preview.ts'
import { allRecipients } from '../send/recipients.ts'
import { gatewayRefusal, invalid } from '../send/refusals.ts'
import { checkDevice } from '../send/send.ts'
import { logChanged } from '../status.ts'
import { readUsage } from '../usage.ts'
import { MAX_AUDIENCE, MIN_INTERVAL_MS, type NewCampaign, timesAfter } from './body.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignText,
  changeAsRead,
  permitOf,
} from './campaign.ts'

/** Maximum texts to write in one go: 1,000 long ones block the event loop for 20 ms. */
const CHUNK = 1_000

/** The text of a request, or the current text of its template. Throws 400 for an unknown template. */
export async function readText(store: Store, user: string, text: Content) {
  if ('body' in text) return { body: text.body, variables: text.variables ?? null, template: '' }
  const body = await loadTemplate(store, user, text.templateId)
  return { body, variables: text.variables, template: text.templateId }
}

interface Audience {
  readonly audience: readonly string[]
  readonly segments: number
  readonly requiresConsent: boolean
  /** Recipients who were left out because they had not given the required consent. */
  readonly withoutConsent: readonly string[]
}

/**
 * Finds a campaign's recipients, without those who have opted out or have not given the consent that the
 * campaign, its template or a group requires, and counts the segments of all their texts. Throws 400 if no
 * recipient is left, 403 if the account may not send to one.
 */
export async function planAudience(
  store: Store,
  permit: Permit,
  text: CampaignText,
  people: NewCampaign['audience'],
  way: Way & { readonly requiresConsent: boolean },
): Promise<Audience> {
  const { user } = permit.sender
  const all = await allRecipients(store, user, people, MAX_AUDIENCE)
  const out = await optedOut(store, user, all)
  const scope = { template: text.template, groups: people.groupIds, isRequired: way.requiresConsent }
  const { isRequired: requiresConsent, missing } = await consentOf(store.db, user, scope, all)
  const wanting = all.filter((phone) => !out.has(phone))
  const audience = wanting.filter((phone) => !missing.has(phone))
  const withoutConsent = wanting.filter((phone) => missing.has(phone))
  if (wanting.length === 0) throw invalid('recipients have all opted out')
  if (audience.length === 0) throw invalid('recipients have given no consent, which this campaign requires')
  await requireReach(store.db, permit, audience, way)
  const segments = await countAll(store, user, text, audience)
  return { audience, segments, requiresConsent, withoutConsent }
}

async function countAll(store: Store, user: string, text: CampaignText, phones: readonly string[]) {
  if (!text.variables) return phones.length * countSegments(text.body).segments
  let sum = 0
  for (let at = 0; at < phones.length; at += CHUNK) {
    const write = () => writeTexts(store, user, text, phones.slice(at, at + CHUNK))
    for (const { segments } of await admission.heavyWork.run(userHolder(user), write)) sum += segments
  }
  return sum
}

/** Throws 402 `quota_exceeded` if this number of messages exceeds the rest of the month's quota. */
export async function checkQuota({ store, config }: CampaignServices, user: string, messages: number) {
  const { remaining } = await readUsage(store, user, config, new Date())
  if (remaining !== null && remaining < messages) throw gatewayRefusal('quota_exceeded')
}

/** The id of the line (SIM) that a campaign names, '' for any. Throws 404 if none fits, 409 if several do. */
async function namedLine(
  store: Store,
  user: string,
  { options: { device, sim }, line: { id, number } }: NewCampaign,
): Promise<string> {
  if (device !== '') await checkDevice(store, user, device)
  if (id === '' && number === '') return ''
  const named = sql<{ line: string }>`sms_named_lines(
    ${user}, ${id || null}, ${number || null}, ${device || null}, ${sim})`
  const [found, another] = await queries(store.db)
    .selectFrom(named.as('named'))
    .select('line')
    .limit(2)
    .execute()
  if (!found) throw gatewayRefusal('line_not_found')
  if (another) throw gatewayRefusal('line_ambiguous')
  return found.line
}

const MAX_NAMED = 1_000

export const WITHOUT_CONSENT = z
  .object({
    count: z.int().min(0),
    recipients: z.array(z.string()).max(MAX_NAMED).describe(`The first ${MAX_NAMED} of their numbers.`),
  })
  .describe('Recipients who are left out, as they have not given the required consent.')

/** Counts the numbers that a campaign leaves out, and names the first of them. */
export const namedWithoutConsent = (numbers: readonly string[]): z.output<typeof WITHOUT_CONSENT> => ({
  count: numbers.length,
  recipients: numbers.slice(0, MAX_NAMED),
})

export const CAMPAIGN_PREVIEW = z
  .object({
    recipients_count: z.int().min(1).describe('Recipients, without those who have opted out.'),
    segments: z.int().min(1).describe('Segments of all texts together.'),
    first: TEXT.describe('The text for the first of them.'),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
    without_consent: WITHOUT_CONSENT,
  })
  .meta({ id: 'CampaignPreview' })

/** The line, text and recipients of a new campaign. Throws 400, 403, 404, 409 as a send does. */
export async function planCampaign(store: Store, permit: Permit, wanted: NewCampaign) {
  const { user } = permit.sender
  const line = await namedLine(store, user, wanted)
  const text = await readText(store, user, wanted.text)
  const way = { ...wanted.options, line }
  return { line, text, ...(await planAudience(store, permit, text, wanted.audience, way)) }
}

/** Counts a new campaign's recipients and segments without storing it. Throws as `planCampaign`. */
export async function previewCampaign(store: Store, permit: Permit, wanted: NewCampaign) {
  const { user } = permit.sender
  const { text, audience, segments, withoutConsent } = await planCampaign(store, permit, wanted)
  const [first] = await writeTexts(store, user, text, audience.slice(0, 1))
  const named = { deviceId: wanted.options.device, line: wanted.line }
  const last_leaves_at = await lastLeavesAt(store, user, audience.length, wanted.scheduledAt, named)
  const without_consent = namedWithoutConsent(withoutConsent)
  return { recipients_count: audience.length, segments, first: first!, last_leaves_at, without_consent }
}

const MAX_REPEATING = 20

/** Throws 400 if the account has too many repeating campaigns. Call it after `lockUserSends`. */
export async function checkRoom(db: Db, user: string): Promise<void> {
  const { others } = await queries(db)
    .selectFrom('campaigns')
    .select(({ fn }) => fn.countAll<number>().as('others'))
    .where('user', '=', user)
    .where(sql<boolean>`status in ('repeating', 'paused') and repeat::text <> 'null'`)
    .executeTakeFirstOrThrow()
  if (others >= MAX_REPEATING) throw invalid(`repeat is for at most ${MAX_REPEATING} campaigns of an account`)
}

/** When a run that begins at `at` expires: `at` plus `expiresAt` minus `scheduledAt`; '' for never. */
export const expiryAt = (
  { scheduledAt, expiresAt }: Pick<Campaign, 'scheduledAt' | 'expiresAt'>,
  at: string,
) => movedExpiry(expiresAt, scheduledAt, dateOf(at)!.getTime())

/**
 * Moves a repeating campaign to its first time after `after`; ends it if there is none. False if the campaign
 * has changed since it was read. `also`: further changes.
 */
export function moveOn(
  db: Db,
  campaign: Campaign,
  after: Date,
  runs = campaign.runs,
  also: UpdateObject<Tables, 'campaigns'> = {},
): Promise<boolean> {
  const [next] = timesAfter(campaign.repeat!, after, 1)
  const at = next ? formatDate(next) : ''
  const status = at === '' ? 'done' : 'repeating'
  const expires_at = at && expiryAt(campaign, at)
  return changeAsRead(db, campaign, {
    ...{ status, expires_at, runs, error: '', ...(at && { scheduled_at: at }) },
    ...also,
  })
}

type Given = 'id' | 'user' | 'name' | 'body' | 'template' | 'variables' | 'recipients' | 'audience'
type Options =
  | 'device'
  | 'line'
  | 'sim'
  | 'priority'
  | 'guarantee'
  | 'keepsQuiet'
  | 'scheduledAt'
  | 'expiresAt'
  | 'requiresConsent'
type CampaignRow = Pick<Campaign, Given | Options | 'repeat' | 'withoutConsent'> &
  Readonly<{ groups: readonly string[]; runOf: string; segments: number; error: string; changedBy: string }>

/** Stores a campaign, unless it is stored already. With an `error`, it is stored as failed. */
export async function insertCampaign(db: Db, row: CampaignRow): Promise<void> {
  const { id, user, name, body, template, device, line, sim, priority, guarantee, error, segments } = row
  const { repeat, audience } = row
  const batch = randomId()
  const stored = await queries(db)
    .insertInto('campaigns')
    .values({
      ...{ id, user, name, body, template, device, line, sim, priority, guarantee, error, segments },
      ...{
        run_of: row.runOf,
        quiet_hours: row.keepsQuiet,
        requires_consent: row.requiresConsent,
        without_consent: JSON.stringify(row.withoutConsent),
        changed_by: row.changedBy,
        groups: [...row.groups],
      },
      ...{ scheduled_at: row.scheduledAt, expires_at: row.expiresAt },
      ...{ recipients: JSON.stringify(row.recipients), variables: JSON.stringify(row.variables) },
      ...{ repeat: JSON.stringify(repeat), audience: JSON.stringify(repeat ? [] : audience) },
      ...{
        batch_id: batch,
        batches: JSON.stringify([batch]),
        revision: 1,
        recipients_count: audience.length,
      },
      ...{ settled: error !== '', status: error ? 'failed' : repeat ? 'repeating' : 'scheduled' },
      ...{ created: NOW, updated: NOW },
    })
    .onConflict((found) => found.column('id').doNothing())
    .returning('id')
    .execute()
  const ids = stored.map((campaign) => campaign.id)
  await logChanged({ db }, 'campaigns', 'create', ids)
}

/**
 * If a run of a repeating campaign is due, stores the run as a campaign of its own and moves the repeating
 * one to its next time, in one transaction. The run's id is made from its time: no time has two runs.
 */
export async function repeatIfDue(services: CampaignServices, campaign: Campaign): Promise<void> {
  const { db } = services.store
  const { id, repeat, status, scheduledAt, nowMs } = campaign
  const lateMs = nowMs - dateOf(scheduledAt)!.getTime()
  if (!repeat || status !== 'repeating' || lateMs < 0) return
  const now = new Date(nowMs)
  const isLate = lateMs > MIN_INTERVAL_MS
  if (isLate && (repeat.missed === 'skip' || (repeat.until !== '' && repeat.until < formatDate(now)))) {
    // skip missed runs, but not one that is at most 5 minutes late
    await moveOn(db, campaign, new Date(nowMs - MIN_INTERVAL_MS))
    return
  }
  const at = isLate ? formatDate(now) : scheduledAt
  const ids = { id: derivedId(`run:${id} ${scheduledAt}`), runOf: id, repeat: null, changedBy: id }
  const times = { scheduledAt: at, expiresAt: expiryAt(campaign, at) }
  const run = { ...campaign, ...ids, ...times, ...(await planRun(services, campaign)) }
  await db.transaction(async (tx) => {
    if (await moveOn(tx, campaign, now, campaign.runs + 1)) await insertCampaign(tx, run)
  })
}

/** Finds a run's recipients, including the groups' present members. A refusal becomes the run's `error`. */
async function planRun(services: CampaignServices, campaign: Campaign) {
  const { recipients, groups } = campaign
  try {
    const people = { recipients, groupIds: groups }
    const planned = await planAudience(services.store, permitOf(campaign), campaign, people, campaign)
    await checkQuota(services, campaign.user, planned.audience.length)
    return { ...planned, error: '' }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { segments: 0, audience: [], recipients: [], error: error.message }
  }
}
