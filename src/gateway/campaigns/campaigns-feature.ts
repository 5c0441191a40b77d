import type { Services } from '../../http/context.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import type { Feature, QueuedServices } from '../base/feature.ts'
import { campaignsExtension } from '../messages/message-extensions.ts'
import { type Sending, sendingFor } from '../messages/send/sending.ts'
import { campaignJobs } from './campaign-jobs.ts'
import { campaignPaths, campaignRoutes } from './routes.ts'

interface WithSending {
  readonly sending: Sending
}

/** Texts to many, at a time, once or again and again. */
export const CAMPAIGNS: Feature<Services & WithSending, QueuedServices & WithSending> = {
  routes: [['/api/campaigns', campaignRoutes]],
  api: { roots: ['/api/campaigns'], group: 'other', errorForm: gatewayForm, isOwn: true },
  rights: {
    'POST /api/campaigns': 'act',
    'POST /api/campaigns/preview': 'act',
    'POST /api/campaigns/times': 'act',
    'GET /api/campaigns/:id/progress': 'act',
    'PATCH /api/campaigns/:id': 'act',
    'POST /api/campaigns/:id/pause': 'act',
    'POST /api/campaigns/:id/resume': 'act',
    'POST /api/campaigns/:id/cancel': 'act',
    'POST /api/campaigns/:id/retry': 'act',
  },
  paths: campaignPaths,
  extensions: () => ({ campaigns: campaignsExtension }),
  queued: ({ store, sending }) => [campaignJobs(sendingFor(store, sending))],
}
