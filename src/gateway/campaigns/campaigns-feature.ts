import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import type { Services } from '../../http/request-context.ts'
import type { Feature, QueuedServices } from '../base/feature.ts'
import { campaignsExtension } from '../messages/message-extensions.ts'
import { makeUserSending, type Sending } from '../messages/send/make-user-sending.ts'
import { makeCampaignJobs } from './campaign-jobs.ts'
import { CAMPAIGN_DATA } from './personal-data.ts'
import { CAMPAIGN_ROUTES } from './routes.ts'

interface WithSending {
  readonly sending: Sending
}

export const CAMPAIGNS: Feature<Services & WithSending, QueuedServices & WithSending> = {
  rows: CAMPAIGN_ROUTES,
  api: {
    roots: ['/api/campaigns'],
    group: 'other',
    errorForm: sendGatewayError,
    isOwn: true,
    takesKeys: true,
  },
  personalData: CAMPAIGN_DATA,
  extensions: () => ({ campaigns: makeStrictExtension(campaignsExtension) }),
  queued: ({ store, sending }) => [makeCampaignJobs(makeUserSending(store, sending))],
}
