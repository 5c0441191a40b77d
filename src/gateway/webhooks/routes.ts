import type { Store } from '../../engine/collections/catalog.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import type { HasServices, Permission } from '../../http/allow-callers.ts'
import { asCaller } from '../../http/attempt.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import { listErrorAnswers, makeErrorDescriber } from '../../http/openapi/gateway-error-answers.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import type { OtherForms } from './call-webhook.ts'
import { type Owner, requireWebhookOwner, WEBHOOK_REFUSALS } from './require-webhook-owner.ts'
import {
  DELIVERY_REQUEST,
  loadDeliveryRequest,
  RESENT,
  resendDelivery,
  resendFailed,
  SINCE,
  STARTED,
} from './resend-deliveries.ts'
import { sendTestEvent } from './send-test-event.ts'
import { NEW_SECRET, rotateSecret } from './webhook-secret.ts'

export interface WebhookServices extends Services {
  readonly otherForms: OtherForms
}

interface WebhookCaller extends HasServices<WebhookServices> {
  readonly auth: AuthRecord | null
  readonly owner: Owner
  readonly store: Store
}

/** An account, an admin or a superuser. */
const byWebhookOwner: Permission<WebhookCaller, WebhookServices> = {
  least: 'admin',
  security: 'signedIn',
  withCaller: (c, services, work) =>
    asCaller(c, services, 'checked', async ({ caller, store }) => {
      c.header('cache-control', 'no-store')
      return work({ auth: caller, owner: requireWebhookOwner(caller), store, services })
    }),
}

/** Makes a handler that runs `work` and, for a superuser or user, audits it in the same transaction. */
const makeWebhookAction =
  (
    action: string,
    work: (inside: Store, owner: Owner, id: string) => unknown,
    collection = 'webhooks',
  ) =>
  ({ auth, owner, store }: WebhookCaller, c: Ctx, id: string) =>
    store.db.transaction(async (db) => {
      const result = await work({ db, catalog: store.catalog }, owner, id)
      if (auth) await auditRequest(c, auth, { action, collection, record: id }, db)
      return result
    })

const describeRefusals = makeErrorDescriber(WEBHOOK_REFUSALS)
/** Describes the named refusals, 401 and 403. */
const describeWebhookAnswers = (...codes: Parameters<typeof describeRefusals>) =>
  listErrorAnswers(describeRefusals('unauthorized', 'forbidden', ...codes))

/** `/api/webhooks`: actions on webhooks by their user or a superuser. Errors: `{"error","message"}`. */
export const WEBHOOK_ROUTES = makeRoutes('webhooks', {
  'POST /api/webhooks/:id/test': {
    permission: byWebhookOwner,
    bound: { cost: 'constant cost', by: '3 waiting tests of a webhook' },
    describe: {
      id: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` with an invented message, in the same way as all events. While three tests of the webhook wait, the answer is 429.',
      answer: ['The delivery, which is under way.', STARTED],
      fails: describeWebhookAnswers('webhook_not_found', 'webhook_disabled'),
    },
    run: makeWebhookAction('test webhook', sendTestEvent),
  },
  'POST /api/webhooks/:id/rotate': {
    permission: byWebhookOwner,
    bound: 'keys',
    describe: {
      id: 'rotateWebhookSecret',
      summary: 'Change the secret',
      description:
        'For 24 hours deliveries are signed with both secrets. A second rotation ends the first.',
      answer: ['The new secret.', NEW_SECRET],
      fails: describeWebhookAnswers('webhook_not_found'),
    },
    run: makeWebhookAction('rotate secret', rotateSecret),
  },
  'POST /api/webhooks/:id/resend-failed': {
    permission: byWebhookOwner,
    maxBytes: 10_000,
    bound: {
      cost: 'failed deliveries of the webhook since a date',
      by: 'only deliveries of the last `WEBHOOK_LOG_DAYS` exist; 30 s',
    },
    describe: {
      id: 'resendFailedDeliveries',
      summary: 'Send failed deliveries again',
      description:
        'Sends all deliveries of a webhook once more that ended as failed since a date. Their webhook-ids stay.',
      answer: ['How many there are.', RESENT],
      fails: describeWebhookAnswers(
        'invalid_request',
        'webhook_not_found',
        'webhook_disabled',
        'request_too_large',
      ),
      body: [SINCE, { since: '2026-11-20 07:00:00.000Z' }],
    },
    run: async (caller, c, id) => {
      const since = await readJsonBody(c)
      return makeWebhookAction('resend failed', (inside, owner) =>
        resendFailed(inside, owner, id, since),
      )(caller, c, id)
    },
  },
  'GET /api/webhooks/deliveries/:id/request': {
    permission: byWebhookOwner,
    bound: 'keys',
    describe: {
      id: 'readDeliveryRequest',
      summary: 'Read the request of a delivery',
      description:
        'The body, and the headers of the last attempt. Of a webhook in the format `twilio`, the body has the form, which a GET sends in its query.',
      answer: ['The request.', DELIVERY_REQUEST],
      fails: describeWebhookAnswers('delivery_not_found'),
    },
    run: ({ owner, store, services }, _, id) =>
      loadDeliveryRequest(store, owner, id, services.otherForms),
  },
  'POST /api/webhooks/deliveries/:id/resend': {
    permission: byWebhookOwner,
    bound: 'keys',
    describe: {
      id: 'resendDelivery',
      summary: 'Send a delivery again',
      description: 'Sends it at once, whatever its outcome was. Its webhook-id stays the same.',
      answer: ['The delivery, which is under way.', STARTED],
      fails: describeWebhookAnswers('delivery_not_found', 'webhook_disabled'),
    },
    run: makeWebhookAction('resend', resendDelivery, 'webhook_deliveries'),
  },
})
