import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { makeGaugeFactory } from '../../http/metrics/family.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { cleanUpDeliveries } from './delete-old-deliveries.ts'
import { CALLS_TAG, describeWebhookCalls } from './describe-webhook-calls.ts'
import { computeWebhookLag } from './lease-deliveries.ts'
import { WEBHOOK_DATA } from './personal-data.ts'
import { WEBHOOK_ROUTES, type WebhookServices } from './routes.ts'
import {
  DELIVERIES,
  deliveriesExtension,
  type FitWebhook,
  makeWebhooksExtension,
  WEBHOOKS,
} from './webhook-extensions.ts'

/** Calls of users' servers. `fits`: checks and completes the webhooks of other products' APIs. */
export const makeWebhooks = (fits: readonly FitWebhook[]): Feature<WebhookServices> => ({
  rows: WEBHOOK_ROUTES,
  api: {
    roots: ['/api/webhooks'],
    group: 'webhooks',
    errorForm: sendGatewayError,
    isOwn: true,
    tags: [{ name: CALLS_TAG, description: 'What the server posts to your webhooks.' }],
    webhooks: describeWebhookCalls,
  },
  personalData: WEBHOOK_DATA,
  extensions: (config) => ({
    [WEBHOOKS]: makeStrictExtension(makeWebhooksExtension(config, fits)),
    [DELIVERIES]: makeStrictExtension(deliveriesExtension),
  }),
  timed: ({ store, config }) => [
    { id: 'webhookCleanUp', ...HOURLY, run: () => cleanUpDeliveries(store, config.webhookLogDays) },
  ],
  metrics({ store }) {
    const webhooks = makeGaugeFactory(() => computeWebhookLag(store))
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
