import { strict } from '../../engine/records/collection-extension.ts'
import type { Services } from '../../http/context.ts'
import { gaugesOf } from '../../http/metrics/family.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import type { OtherForms } from './call-webhook.ts'
import { webhookCalls } from './calls.openapi.ts'
import { cleanUpDeliveries } from './clean-up.ts'
import { webhookLag } from './lease.ts'
import { webhookPaths, webhookRoutes } from './routes.ts'
import {
  DELIVERIES,
  deliveriesExtension,
  type FitWebhook,
  WEBHOOKS,
  webhooksExtension,
} from './webhook-extensions.ts'

interface OwnServices extends Services {
  readonly otherForms: OtherForms
}

/** Calls of users' servers. `fits`: checks and completes the webhooks of other products' APIs. */
export const makeWebhooks = (fits: readonly FitWebhook[]): Feature<OwnServices> => ({
  routes: [['/api/webhooks', webhookRoutes]],
  api: {
    roots: ['/api/webhooks'],
    group: 'webhooks',
    errorForm: gatewayForm,
    isOwn: true,
    webhooks: webhookCalls,
  },
  rights: {
    'POST /api/webhooks/:id/test': 'admin',
    'POST /api/webhooks/:id/rotate': 'admin',
    'POST /api/webhooks/:id/resend-failed': 'admin',
    'GET /api/webhooks/deliveries/:id/request': 'admin',
    'POST /api/webhooks/deliveries/:id/resend': 'admin',
  },
  paths: webhookPaths,
  extensions: (config) => ({
    [WEBHOOKS]: strict(webhooksExtension(config, fits)),
    [DELIVERIES]: strict(deliveriesExtension),
  }),
  timed: ({ store, config }) => [
    { id: 'webhookCleanUp', ...HOURLY, run: () => cleanUpDeliveries(store, config.webhookLogDays) },
  ],
  metrics({ store }) {
    const webhooks = gaugesOf(() => webhookLag(store))
    return [
      webhooks(
        'webhook_deliveries_pending',
        'Webhook deliveries of all nodes that are not over.',
        (lag) => lag.pending,
      ),
      webhooks(
        'webhook_lag_seconds',
        'How long the delivery that is due first waits.',
        (lag) => lag.oldestSeconds,
      ),
    ]
  },
})
