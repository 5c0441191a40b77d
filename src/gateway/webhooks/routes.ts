import type { Hono } from 'hono'
import type { Store } from '../../engine/collections/catalog.ts'
import { authOf } from '../../http/authenticate.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Services } from '../../http/context.ts'
import { routesFor } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit.ts'
import { chapter } from '../../http/openapi/operations.ts'
import { describeBy, refusalAnswers } from '../../http/openapi/refusals.ts'
import { SIGNED_IN } from '../../http/openapi/security.ts'
import { storeOf } from '../../http/server/caller.ts'
import type { OtherForms } from './call-webhook.ts'
import {
  DELIVERY_REQUEST,
  RESENT,
  readDeliveryRequest,
  resendDelivery,
  resendFailed,
  SINCE,
  STARTED,
} from './deliveries.ts'
import { NEW_SECRET } from './new-secret.ts'
import { type Owner, ownerOf, WEBHOOK_REFUSALS } from './owner.ts'
import { rotateSecret } from './rotate-secret.ts'
import { sendTest } from './send-test.ts'

/** `/api/webhooks`: actions on webhooks by their user or a superuser. Errors: `{"error","message"}`. */
export function webhookRoutes(services: Services & { readonly otherForms: OtherForms }): Hono<Env> {
  const identify = async (c: Ctx) => {
    const auth = await authOf(c, services)
    c.header('cache-control', 'no-store')
    return { auth, owner: ownerOf(auth), store: storeOf(c, services, auth) }
  }
  type Caller = Awaited<ReturnType<typeof identify>>
  /** Makes a route that runs `work` and, for a superuser or member, audits it in the same transaction. */
  const act =
    (action: string, work: (inside: Store, owner: Owner, id: string) => unknown, collection = 'webhooks') =>
    ({ auth, owner, store }: Caller, c: Ctx, id: string) =>
      store.db.transaction(async (db) => {
        const result = await work({ db, catalog: store.catalog }, owner, id)
        if (auth?.isSuperuser || auth?.actor)
          await auditRequest(c, services, auth, { action, collection, record: id }, db)
        return result
      })
  return routesFor(identify, {
    'POST /:id/test': act('test webhook', sendTest),
    'POST /:id/rotate': act('rotate secret', rotateSecret),
    'POST /:id/resend-failed': async (caller, c, id) => {
      const since = await readJson(c, 10_000)
      return act('resend failed', (inside, owner) => resendFailed(inside, owner, id, since))(caller, c, id)
    },
    'GET /deliveries/:id/request': ({ owner, store }, _, id) =>
      readDeliveryRequest(store, owner, id, services.otherForms),
    'POST /deliveries/:id/resend': act('resend', resendDelivery, 'webhook_deliveries'),
  })
}

const describeRefusals = describeBy(WEBHOOK_REFUSALS)
/** Those named, 401 and 403. */
const webhookAnswers = (...codes: Parameters<typeof describeRefusals>) =>
  refusalAnswers(describeRefusals('unauthorized', 'forbidden', ...codes))

export const webhookPaths = () =>
  chapter('webhooks', SIGNED_IN, {
    'POST /api/webhooks/{id}/test': {
      id: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` with an invented message, in the same way as all events. While three tests of the webhook wait, the answer is 429.',
      answer: ['The delivery, which is under way.', STARTED],
      fails: webhookAnswers('webhook_not_found', 'webhook_disabled'),
    },
    'POST /api/webhooks/{id}/rotate': {
      id: 'rotateWebhookSecret',
      summary: 'Change the secret',
      description: 'For 24 hours deliveries are signed with both secrets. A second rotation ends the first.',
      answer: ['The new secret.', NEW_SECRET],
      fails: webhookAnswers('webhook_not_found'),
    },
    'POST /api/webhooks/{id}/resend-failed': {
      id: 'resendFailedDeliveries',
      summary: 'Send failed deliveries again',
      description:
        'Sends all deliveries of a webhook once more that ended as failed since a date. Their webhook-ids stay.',
      answer: ['How many there are.', RESENT],
      fails: webhookAnswers('invalid_request', 'webhook_not_found', 'webhook_disabled', 'request_too_large'),
      body: [SINCE, { since: '2026-11-20 07:00:00.000Z' }],
    },
    'GET /api/webhooks/deliveries/{id}/request': {
      id: 'readDeliveryRequest',
      summary: 'Read the request of a delivery',
      description:
        'The body, and the headers of the last attempt. Of a webhook in the format `twilio`, the body has the form, which a GET sends in its query.',
      answer: ['The request.', DELIVERY_REQUEST],
      fails: webhookAnswers('delivery_not_found'),
    },
    'POST /api/webhooks/deliveries/{id}/resend': {
      id: 'resendDelivery',
      summary: 'Send a delivery again',
      description: 'Sends it at once, whatever its outcome was. Its webhook-id stays the same.',
      answer: ['The delivery, which is under way.', STARTED],
      fails: webhookAnswers('delivery_not_found', 'webhook_disabled'),
    },
  })
