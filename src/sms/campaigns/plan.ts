import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import { number, run, statement, text } from '../../db/statement.ts'
import { INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import { countSegments } from '../../portable/segments.ts'
import type { Content } from '../send/body.ts'
import { allRecipients, loadTemplate, optedOut, TEXT, type Text, writeTexts } from '../send/content.ts'
import { checkDestinations } from '../send/destinations.ts'
import { LAST_LEAVES_AT, lastLeavesAt } from '../send/preview.ts'
import { checkDevice } from '../send/send.ts'
import { gatewayRefusal, invalid } from '../send/shape.ts'
import { readUsage } from '../usage/quota.ts'
import { MAX_AUDIENCE, type NewCampaign } from './body.ts'
import type { CampaignServices, CampaignText } from './campaign.ts'

/** Texts to make at a time: 1,000 long ones block the event loop for 20 ms. */
const CHUNK = 1_000

/** The text of a request, or the current text of its template. Throws 400 for an unknown template. */
export async function readText(store: Store, user: string, text: Content) {
  if ('body' in text) return { body: text.body, variables: text.variables ?? null, template: '' }
  const body = await loadTemplate(store, user, text.templateId)
  return { body, variables: text.variables, template: text.templateId }
}

/** The texts of a campaign for some recipients. Throws errors of the template. */
export const textsFor = (
  store: Store,
  user: string,
  { body, variables }: CampaignText,
  phones: readonly string[],
): Promise<Text[]> => writeTexts(store, user, variables ? { body, variables } : { body }, phones)

/** A campaign's recipients without opt-outs, and their segments. Throws 400 if all have opted out. */
export async function planAudience(
  store: Store,
  user: string,
  text: CampaignText,
  people: NewCampaign['audience'],
): Promise<{ readonly audience: readonly string[]; readonly segments: number }> {
  const all = await allRecipients(store, user, people, MAX_AUDIENCE)
  const out = await optedOut(store, user, all)
  const audience = all.filter((phone) => !out.has(phone))
  if (audience.length === 0) throw invalid('recipients have all opted out')
  await checkDestinations(store, user, audience)
  return { audience, segments: await countAll(store, user, text, audience) }
}

async function countAll(store: Store, user: string, text: CampaignText, phones: readonly string[]) {
  if (!text.variables) return phones.length * countSegments(text.body).segments
  let sum = 0
  for (let at = 0; at < phones.length; at += CHUNK) {
    const write = () => textsFor(store, user, text, phones.slice(at, at + CHUNK))
    for (const { segments } of await admission.heavyWork.run(userHolder(user), write)) sum += segments
  }
  return sum
}

/** Throws 402 `quota_exceeded` if these messages exceed the quota of the month. */
export async function checkQuota({ store, config }: CampaignServices, user: string, messages: number) {
  const { remaining } = await readUsage(store, user, config, new Date())
  if (remaining !== null && remaining < messages) throw gatewayRefusal('quota_exceeded')
}

const NAMED = statement('sms named line', { line: 'string' })`
select line from sms_named_lines(${text('user')}, nullif(${text('id')}, ''), nullif(${text('number')}, ''),
  nullif(${text('device')}, ''), ${number('sim')}) limit 2`

/** The id of the line that a campaign names, '' for any. Throws 404, 409 as a send does. */
export async function namedLine(
  store: Store,
  user: string,
  { options: { device, sim }, line: { id, number } }: NewCampaign,
): Promise<string> {
  if (device !== '') await checkDevice(store, user, device)
  if (id === '' && number === '') return ''
  const [found, another] = await run(store.db, NAMED, { user, id, number, device, sim })
  if (!found) throw gatewayRefusal('line_not_found')
  if (another) throw gatewayRefusal('line_ambiguous')
  return found.line
}

export const CAMPAIGN_PREVIEW = z
  .object({
    recipients_count: z.int().min(1).describe('People who get it; not those who have opted out.'),
    segments: z.int().min(1).describe('Short messages that all texts take together.'),
    first: TEXT.describe('The text for the first of them.'),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
  })
  .meta({ id: 'CampaignPreview' })

/** Counts recipients and segments of a campaign, stores nothing. Throws as its create, except 402. */
export async function previewCampaign(store: Store, user: string, wanted: NewCampaign) {
  await namedLine(store, user, wanted)
  const text = await readText(store, user, wanted.text)
  const { audience, segments } = await planAudience(store, user, text, wanted.audience)
  const [first] = await textsFor(store, user, text, audience.slice(0, 1))
  const named = { deviceId: wanted.options.device, line: wanted.line }
  const last_leaves_at = await lastLeavesAt(store, user, audience.length, wanted.scheduledAt, named)
  return { recipients_count: audience.length, segments, first: first!, last_leaves_at }
}
