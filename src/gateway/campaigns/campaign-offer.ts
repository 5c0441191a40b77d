import type { Media } from '../base/message-files.ts'
import type { Offer } from '../messages/send/offer.ts'
import { makeOffer } from '../messages/send/prepare-offer.ts'
import { PLAIN_OPTIONS } from '../messages/send/send-options.ts'
import { readStoredOptions } from '../messages/send/stored-options.ts'
import type { Text } from '../messages/send/write-text-bodies.ts'
import { type Campaign, makeCampaignPermit, makeCampaignScope } from './campaign.ts'

/** Offers texts of a campaign. `key`: the Idempotency-Key that prevents storing them twice. */
export const makeCampaignOffer = (
  campaign: Campaign,
  texts: readonly Text[],
  media: Media | undefined,
  { key, ...times }: Pick<Campaign, 'scheduledAt' | 'expiresAt'> & { readonly key: string },
): Offer => ({
  ...makeOffer({
    permit: makeCampaignPermit(campaign),
    options: {
      ...PLAIN_OPTIONS,
      ...readStoredOptions(campaign),
      ...times,
      keepsQuiet: campaign.keepsQuiet,
      isBulk: true,
    },
    texts,
    words: campaign.variables ? undefined : campaign.body,
    device: campaign.device,
    line: campaign.line,
    media,
    batch: campaign.batches[0]!,
    scope: makeCampaignScope(campaign),
  }),
  later: true,
  idempotency: { key, fingerprint: '' },
})
