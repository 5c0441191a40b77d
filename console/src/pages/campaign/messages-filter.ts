import { matchAny } from '../../data/client.ts'
import type { Campaign } from '../../data/record-types.ts'

/** A filter of a campaign's messages, also of those that were sent again. */
export const makeCampaignFilter = ({ batches }: Campaign): string => matchAny('batch_id', batches)
