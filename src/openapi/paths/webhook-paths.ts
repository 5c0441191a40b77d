import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { DELIVERY_REQUEST } from '../../webhooks/delivery-request.ts'
import { RESENT, SINCE } from '../../webhooks/resend.ts'
import { NEW_SECRET } from '../../webhooks/secrets.ts'
import { STARTED } from '../../webhooks/test-event.ts'
import { success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
import { webhookRefusals } from '../schemas/refusals.ts'
import { SIGNED_IN } from '../schemas/security.ts'

const ID = z.object({ id: z.string().describe('Of the record.') })

/** `/api/webhooks`: what can be done with a webhook beyond its record. */
export const webhookPaths = (): ZodOpenApiPathsObject =>
  chapter('webhooks', SIGNED_IN, {
    'POST /api/webhooks/{id}/test': {
      id: 'testWebhook',
      summary: 'Send a test event',
      description:
        'Sends `webhook.test` with a made-up message, by the way that all events go. While three tests of it wait the answer is 429.',
      params: { path: ID },
      responses: [
        success('The delivery, which is under way.', STARTED),
        webhookRefusals('unauthorized', 'forbidden', 'webhook_not_found', 'webhook_disabled'),
      ],
    },
    'POST /api/webhooks/{id}/rotate': {
      id: 'rotateWebhookSecret',
      summary: 'Change the secret',
      description: 'For 24 hours deliveries are signed with both secrets. A second rotation ends the first.',
      params: { path: ID },
      responses: [
        success('The new secret.', NEW_SECRET),
        webhookRefusals('unauthorized', 'forbidden', 'webhook_not_found'),
      ],
    },
    'POST /api/webhooks/{id}/resend-failed': {
      id: 'resendFailedDeliveries',
      summary: 'Send again what has failed',
      description:
        'Sends all deliveries of a webhook once more that ended as failed since a date. Their webhook-ids stay.',
      params: { path: ID },
      responses: [
        success('How many there are.', RESENT, { resent: 12 }),
        webhookRefusals(
          'invalid_request',
          'unauthorized',
          'forbidden',
          'webhook_not_found',
          'webhook_disabled',
          'request_too_large',
        ),
      ],
      body: [SINCE, { since: '2026-11-20 07:00:00.000Z' }],
    },
    'GET /api/webhooks/deliveries/{id}/request': {
      id: 'readDeliveryRequest',
      summary: 'Read what a delivery sends',
      description:
        'The body, and the headers of the last attempt. Of a webhook in the format `twilio`, the body has the form, which a GET sends in its query.',
      params: { path: ID },
      responses: [
        success('The request.', DELIVERY_REQUEST),
        webhookRefusals('unauthorized', 'forbidden', 'delivery_not_found'),
      ],
    },
    'POST /api/webhooks/deliveries/{id}/resend': {
      id: 'resendDelivery',
      summary: 'Send a delivery again',
      description: 'At once, whatever became of it. Its webhook-id stays.',
      params: { path: ID },
      responses: [
        success('The delivery, which is under way.', STARTED),
        webhookRefusals('unauthorized', 'forbidden', 'delivery_not_found', 'webhook_disabled'),
      ],
    },
  })
