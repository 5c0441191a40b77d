import { strict } from '../../engine/records/collection-extension.ts'
import { makeGaugeFactory } from '../../http/metrics/family.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { webhookCalls } from './calls.openapi.ts'
import { cleanUpDeliveries } from './delete-old-deliveries.ts'
import { webhookLag } from './lease-deliveries.ts'
import { WEBHOOK_ROUTES, type WebhookServices } from './routes.ts'
import {
  DELIVERIES,
  deliveriesExtension,
  type FitWebhook,
  WEBHOOKS,
  webhooksExtension,
} from './webhook-extensions.ts'

/** Calls of users' servers. `fits`: checks and completes the webhooks of other products' APIs. */
export const makeWebhooks = (fits: readonly FitWebhook[]): Feature<WebhookServices> => ({
  rows: WEBHOOK_ROUTES,
  api: {
    roots: ['/api/webhooks'],
    group: 'webhooks',
    errorForm: gatewayForm,
    isOwn: true,
    webhooks: webhookCalls,
  },
  extensions: (config) => ({
    [WEBHOOKS]: strict(webhooksExtension(config, fits)),
    [DELIVERIES]: strict(deliveriesExtension),
  }),
  timed: ({ store, config }) => [
    { id: 'webhookCleanUp', ...HOURLY, run: () => cleanUpDeliveries(store, config.webhookLogDays) },
  ],
  metrics({ store }) {
    const webhooks = makeGaugeFactory(() => webhookLag(store))
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
