import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import { isAllowed, type Permit } from '../base/permissions.ts'
import { ESTIMATE_OR_NULL, estimateCost } from '../messages/send/cost-estimate.ts'
import { estimateLastSending, LAST_LEAVES_AT } from '../messages/send/preview-send.ts'
import { TEXT, type Text, writeTexts } from '../messages/send/write-text-bodies.ts'
import type { CampaignServices } from './campaign.ts'
import type { NewCampaign } from './campaign-body.ts'
import { summarizeNoConsent, WITHOUT_CONSENT } from './consent-proof.ts'
import { writeRowTexts } from './list-texts.ts'
import { NEXT_REMINDER } from './next-reminders.ts'
import { planCampaign } from './plan-campaign.ts'
import type { PlannedRow } from './plan-list.ts'
import type { TextSize } from './planned-text.ts'

const SAMPLES = 3
const LEFT_OUT = 100

export const CAMPAIGN_PREVIEW = z
  .object({
    recipients_count: z
      .int()
      .min(0)
      .describe('Recipients, without those who have opted out; of a reminder, the next ones.'),
    segments: z.int().min(0).describe('Segments of all texts together; 0 for MMS.'),
    first: TEXT.describe('The text for the first of them.'),
    samples: z
      .array(TEXT)
      .describe(
        'The texts of three people: first the longest, then the shortest, whose values are empty.',
      ),
    left_out: z
      .object({
        count: z.int().min(0),
        rows: z
          .array(z.object({ line: z.int(), to: z.string(), reason: z.string() }))
          .describe(`The first ${LEFT_OUT}.`),
      })
      .describe('The rows of a list that get no text.'),
    columns: z.array(z.string()).describe('The titles of the columns with numbers, of a file.'),
    reminders: z
      .array(NEXT_REMINDER)
      .optional()
      .describe('Of a reminder: the next 20 texts, the soonest first.'),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
    estimate: ESTIMATE_OR_NULL,
    without_consent: WITHOUT_CONSENT,
    missing: z
      .array(z.string())
      .optional()
      .describe(
        'The variables without a default whose value is empty for one recipient at least, if any.',
      ),
  })
  .meta({ id: 'CampaignPreview' })

/** The places of the longest text, the shortest, and the first, for people to look at; at last the first. */
function pickSamples(sizes: readonly TextSize[]): number[] {
  let [longest, shortest] = [0, 0]
  for (const [at, { units }] of sizes.entries()) {
    if (units > sizes[longest]!.units) longest = at
    if (units < sizes[shortest]!.units) shortest = at
  }
  const others = [0, 1, 2].filter((at) => at < sizes.length)
  const picked = [...new Set([longest, shortest, ...others])].slice(0, SAMPLES)
  return picked.includes(0) ? picked : [...picked, 0]
}

function summarizeLeftOut(rows: readonly PlannedRow[]) {
  const out = rows.filter(({ size }) => !size)
  const shown = out.slice(0, LEFT_OUT).map(({ line, to, reason }) => ({ line, to, reason }))
  return { count: out.length, rows: shown }
}

/** The first text and the samples. Who may not read contacts sees the text of an unknown person instead. */
async function writeSamples(
  { store, config }: CampaignServices,
  user: string,
  { text, rows, audience, sizes, addFiles }: Awaited<ReturnType<typeof planCampaign>>,
  hidesPeople: boolean,
) {
  const picked = pickSamples(sizes)
  const open = rows.filter(({ size }) => size)
  const write = async (): Promise<Text[]> => {
    if (open.length === 0 && hidesPeople)
      return writeTexts(store, config, user, text, [''], (name) => `{{${name}}}`)
    const phones = picked.map((at) => audience[at]!)
    if (open.length === 0) return writeTexts(store, config, user, text, phones)
    const chosen = picked.map((at) => open[at]!)
    return (await writeRowTexts(store, config, user, text, chosen, hidesPeople)).flatMap(
      (one) => one.text ?? [],
    )
  }
  const texts = (await write()).map(addFiles)
  return { first: texts[picked.indexOf(0)] ?? texts[0]!, samples: texts.slice(0, SAMPLES) }
}

/** Counts a new campaign's recipients and segments without storing it. Throws as `planCampaign`. */
export async function previewCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
) {
  const { store, config } = services
  const { user } = permit.sender
  const hidesPeople = !isAllowed(permit.sender, 'readContacts')
  const plan = await planCampaign(services, permit, wanted, hidesPeople)
  const { audience, segments, sizes, missing, withoutConsent } = plan
  const samples = await writeSamples(services, user, plan, hidesPeople)
  const named = { deviceId: wanted.options.device, line: wanted.line }
  const last_leaves_at = await estimateLastSending(
    store,
    user,
    audience.length,
    wanted.scheduledAt,
    named,
  )
  const estimate = isAllowed(permit.sender, 'listDevices')
    ? await estimateCost(store, config, user, sizes, { ...wanted.options, line: wanted.line })
    : null
  const without_consent = summarizeNoConsent(hidesPeople ? [] : withoutConsent)
  return {
    recipients_count: audience.length,
    segments,
    ...samples,
    left_out: summarizeLeftOut(plan.rows),
    columns: plan.columns,
    last_leaves_at,
    estimate,
    without_consent,
    ...(missing.length > 0 && { missing }),
  }
}
