import type { Services } from '../../http/context.ts'
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
  paths: campaignPaths,
  extensions: () => ({ campaigns: campaignsExtension }),
  queued: ({ store, sending }) => [campaignJobs(sendingFor(store, sending))],
}
