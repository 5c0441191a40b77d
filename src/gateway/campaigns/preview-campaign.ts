import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import type { Permit } from '../base/permissions.ts'
import { ESTIMATE_OR_NULL, estimateCost } from '../messages/send/cost-estimate.ts'
import { estimateLastSending, LAST_LEAVES_AT } from '../messages/send/preview-send.ts'
import { TEXT, writeTexts } from '../messages/send/write-text-bodies.ts'
import type { CampaignServices } from './campaign.ts'
import type { NewCampaign } from './campaign-body.ts'
import { summarizeNoConsent, WITHOUT_CONSENT } from './consent-proof.ts'
import { planCampaign } from './plan-campaign.ts'

export const CAMPAIGN_PREVIEW = z
  .object({
    recipients_count: z.int().min(1).describe('Recipients, without those who have opted out.'),
    segments: z.int().min(0).describe('Segments of all texts together; 0 for MMS.'),
    first: TEXT.describe('The text for the first of them.'),
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

/** Counts a new campaign's recipients and segments without storing it. Throws as `planCampaign`. */
export async function previewCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
) {
  const { store, config } = services
  const { user } = permit.sender
  const plan = await planCampaign(services, permit, wanted)
  const { text, audience, segments, sizes, addFiles, missing, withoutConsent } = plan
  const [words] = await writeTexts(store, config, user, text, audience.slice(0, 1))
  const named = { deviceId: wanted.options.device, line: wanted.line }
  const last_leaves_at = await estimateLastSending(
    store,
    user,
    audience.length,
    wanted.scheduledAt,
    named,
  )
  const texts = audience.map((to, i) => ({ to, segments: sizes[i]! }))
  const estimate = await estimateCost(store, config, user, texts, {
    ...wanted.options,
    line: wanted.line,
  })
  const without_consent = summarizeNoConsent(withoutConsent)
  return {
    recipients_count: audience.length,
    segments,
    first: addFiles(words!),
    last_leaves_at,
    estimate,
    without_consent,
    ...(missing.length > 0 && { missing }),
  }
}
