import { Hono } from 'hono'
import type { AuditEntry } from '../../../auth/audit.ts'
import type { Store } from '../../../collections/catalog.ts'
import { chapter, SIGNED_IN, webhookRefusals } from '../../../openapi/operations.ts'
import {
  DELIVERY_REQUEST,
  RESENT,
  readDeliveryRequest,
  resendDelivery,
  resendFailed,
  SINCE,
  STARTED,
  sendTest,
} from '../../../webhooks/deliveries.ts'
import { type Owner, ownerOf, rotateSecret } from '../../../webhooks/hook.ts'
import { NEW_SECRET } from '../../../webhooks/secrets.ts'
import { readJson } from '../../body/raw-body.ts'
import type { Ctx, Env, Services } from '../../context.ts'
import { auditRequest } from '../../middleware/audit.ts'
import { authOf } from '../../request-info.ts'
import { storeOf } from '../../server/store-of.ts'

const MAX_BODY_BYTES = 10_000

/** `/api/webhooks`: actions on webhooks by their user or a superuser. Errors: `{"error","message"}`. */
export function webhookRoutes(services: Services): Hono<Env> {
  /** Runs `work` for the caller; audits a superuser's or member's action in the same transaction. */
  const act = async <T>(c: Ctx, entry: AuditEntry, work: (inside: Store, owner: Owner) => Promise<T>) => {
    const auth = await authOf(c, services)
    const owner = ownerOf(auth)
    const store = storeOf(c, services, auth)
    return store.db.transaction(async (db) => {
      const result = await work({ db, catalog: store.catalog }, owner)
      if (auth?.isSuperuser || auth?.actor) await auditRequest(c, services, auth, entry, db)
      return result
    })
  }
  const deedOf = (c: Ctx, action: string, collection = 'webhooks'): AuditEntry => ({
    action,
    collection,
    record: c.req.param('id') ?? '',
  })
  return new Hono<Env>()
    .post('/:id/test', async (c) => {
      const id = c.req.param('id')
      return c.json(await act(c, deedOf(c, 'test webhook'), (inside, owner) => sendTest(inside, owner, id)))
    })
    .post('/:id/rotate', async (c) => {
      const id = c.req.param('id')
      c.header('cache-control', 'no-store')
      return c.json(
        await act(c, deedOf(c, 'rotate secret'), (inside, owner) => rotateSecret(inside, owner, id)),
      )
    })
    .post('/:id/resend-failed', async (c) => {
      const id = c.req.param('id')
      ownerOf(await authOf(c, services))
      const since = await readJson(c, MAX_BODY_BYTES)
      const work = (inside: Store, owner: Owner) => resendFailed(inside, owner, id, since)
      return c.json(await act(c, deedOf(c, 'resend failed'), work))
    })
    .get('/deliveries/:id/request', async (c) => {
      const auth = await authOf(c, services)
      const owner = ownerOf(auth)
      c.header('cache-control', 'no-store')
      return c.json(
        await readDeliveryRequest(storeOf(c, services, auth), owner, c.req.param('id'), services.otherForms),
      )
    })
    .post('/deliveries/:id/resend', async (c) => {
      const id = c.req.param('id')
      const entry = deedOf(c, 'resend', 'webhook_deliveries')
      return c.json(await act(c, entry, (inside, owner) => resendDelivery(inside, owner, id)))
    })
}

export const webhookPaths = () =>
  chapter('webhooks', SIGNED_IN, {
    'POST /api/webhooks/{id}/test': {
      id: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` with a made-up message, by the way that all events go. While three tests of it wait the answer is 429.',
      answer: ['The delivery, which is under way.', STARTED],
      fails: webhookRefusals('webhook_not_found', 'webhook_disabled'),
    },
    'POST /api/webhooks/{id}/rotate': {
      id: 'rotateWebhookSecret',
      summary: 'Change the secret',
      description: 'For 24 hours deliveries are signed with both secrets. A second rotation ends the first.',
      answer: ['The new secret.', NEW_SECRET],
      fails: webhookRefusals('webhook_not_found'),
    },
    'POST /api/webhooks/{id}/resend-failed': {
      id: 'resendFailedDeliveries',
      summary: 'Send again what has failed',
      description:
        'Sends all deliveries of a webhook once more that ended as failed since a date. Their webhook-ids stay.',
      answer: ['How many there are.', RESENT],
      fails: webhookRefusals('invalid_request', 'webhook_not_found', 'webhook_disabled', 'request_too_large'),
      body: [SINCE, { since: '2026-11-20 07:00:00.000Z' }],
    },
    'GET /api/webhooks/deliveries/{id}/request': {
      id: 'readDeliveryRequest',
      summary: 'Read what a delivery sends',
      description:
        'The body, and the headers of the last attempt. Of a webhook in the format `twilio`, the body has the form, which a GET sends in its query.',
      answer: ['The request.', DELIVERY_REQUEST],
      fails: webhookRefusals('delivery_not_found'),
    },
    'POST /api/webhooks/deliveries/{id}/resend': {
      id: 'resendDelivery',
      summary: 'Send a delivery again',
      description: 'At once, whatever became of it. Its webhook-id stays.',
      answer: ['The delivery, which is under way.', STARTED],
      fails: webhookRefusals('delivery_not_found', 'webhook_disabled'),
    },
  })
