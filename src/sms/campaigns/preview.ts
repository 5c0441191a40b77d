import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { INSTANT_OR_EMPTY } from '../../fields/values/instant.ts'
import { TEXT } from '../send/content.ts'
import { LAST_LEAVES_AT, lastLeavesAt } from '../send/preview.ts'
import type { NewCampaign } from './body.ts'
import { namedLine, planAudience, readText, textsFor } from './plan.ts'

/** What a campaign would send. */
export const CAMPAIGN_PREVIEW = z
  .object({
    recipients_count: z.int().min(1).describe('People who get it; not those who have opted out.'),
    segments: z.int().min(1).describe('Short messages that all texts take together.'),
    first: TEXT.describe('The text for the first of them.'),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
  })
  .meta({ id: 'CampaignPreview' })
export type CampaignPreview = Readonly<z.output<typeof CAMPAIGN_PREVIEW>>

/** Counts people and segments of a campaign, stores nothing. Throws what its create throws, but for 402. */
export async function previewCampaign(
  store: Store,
  user: string,
  wanted: NewCampaign,
): Promise<CampaignPreview> {
  await namedLine(store, user, wanted)
  const text = await readText(store, user, wanted.text)
  const { audience, segments } = await planAudience(store, user, text, wanted.audience)
  const [first] = await textsFor(store, user, text, audience.slice(0, 1))
  const named = { deviceId: wanted.options.device, line: wanted.line }
  const last_leaves_at = await lastLeavesAt(store, user, audience.length, wanted.scheduledAt, named)
  return { recipients_count: audience.length, segments, first: first!, last_leaves_at }
}
