import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import type { Permit } from '../base/permissions.ts'
import { ESTIMATE_OR_NULL, estimateCost } from '../messages/send/cost-estimate.ts'
import { estimateLastSending, LAST_LEAVES_AT } from '../messages/send/preview-send.ts'
import { TEXT, writeTexts } from '../messages/send/write-text-bodies.ts'
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

/** Counts a new campaign's recipients and segments without storing it. Throws as `planCampaign`. */
export async function previewCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
) {
  const { store, config } = services
  const { user } = permit.sender
  const plan = await planCampaign(services, permit, wanted)
  const { text, rows, audience, segments, sizes, addFiles, missing, withoutConsent } = plan
  const picked = pickSamples(sizes)
  const open = rows.filter(({ size }) => size)
  const samples =
    rows.length > 0
      ? (
          await writeRowTexts(
            store,
            config,
            user,
            text,
            picked.map((at) => open[at]!),
          )
        ).map((one) => one.text!)
      : await writeTexts(
          store,
          config,
          user,
          text,
          picked.map((at) => audience[at]!),
        )
  const named = { deviceId: wanted.options.device, line: wanted.line }
  const last_leaves_at = await estimateLastSending(
    store,
    user,
    audience.length,
    wanted.scheduledAt,
    named,
  )
  const estimate = await estimateCost(store, config, user, sizes, {
    ...wanted.options,
    line: wanted.line,
  })
  const without_consent = summarizeNoConsent(withoutConsent)
  return {
    recipients_count: audience.length,
    segments,
    first: addFiles(samples[picked.indexOf(0)]!),
    samples: samples.slice(0, SAMPLES).map(addFiles),
    left_out: summarizeLeftOut(rows),
    last_leaves_at,
    estimate,
    without_consent,
    ...(missing.length > 0 && { missing }),
  }
}
