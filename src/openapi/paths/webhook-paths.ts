import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { DELIVERY_REQUEST } from '../../webhooks/delivery-request.ts'
import { RESENT, SINCE } from '../../webhooks/resend.ts'
import { NEW_SECRET } from '../../webhooks/secrets.ts'
import { STARTED } from '../../webhooks/test-event.ts'
import { type Answers, answers, json, success } from '../schemas/answers.ts'
import { webhookRefusals } from '../schemas/refusals.ts'
import { SIGNED_IN } from '../schemas/security.ts'

const ID = z.object({ id: z.string().meta({ description: 'Of the record.' }) })

const posted = (
  operationId: string,
  summary: string,
  description: string,
  success: Answers,
  refused: Answers,
): ZodOpenApiOperationObject => ({
  operationId,
  tags: ['webhooks'],
  summary,
  description,
  security: SIGNED_IN,
  requestParams: { path: ID },
  responses: answers(success, refused),
})

/** `/api/webhooks`: what can be done with a webhook beyond its record. */
export const webhookPaths = (): ZodOpenApiPathsObject => ({
  '/api/webhooks/{id}/test': {
    post: posted(
      'testWebhook',
      'Send a test event',
      'Sends `webhook.test` with a made-up message, by the way that all events go. While three tests of it wait the answer is 429.',
      success('The delivery, which is under way.', STARTED),
      webhookRefusals('unauthorized', 'forbidden', 'webhook_not_found', 'webhook_disabled'),
    ),
  },
  '/api/webhooks/{id}/rotate': {
    post: posted(
      'rotateWebhookSecret',
      'Change the secret',
      'For 24 hours deliveries are signed with both secrets. A second rotation ends the first.',
      success('The new secret.', NEW_SECRET),
      webhookRefusals('unauthorized', 'forbidden', 'webhook_not_found'),
    ),
  },
  '/api/webhooks/{id}/resend-failed': {
    post: {
      ...posted(
        'resendFailedDeliveries',
        'Send again what has failed',
        'Sends all deliveries of a webhook once more that ended as failed since a date. Their webhook-ids stay.',
        success('How many there are.', RESENT, { resent: 12 }),
        webhookRefusals(
          'invalid_request',
          'unauthorized',
          'forbidden',
          'webhook_not_found',
          'webhook_disabled',
          'request_too_large',
        ),
      ),
      requestBody: { required: true, content: json(SINCE, { since: '2026-11-20 07:00:00.000Z' }) },
    },
  },
  '/api/webhooks/deliveries/{id}/request': {
    get: {
      operationId: 'readDeliveryRequest',
      tags: ['webhooks'],
      summary: 'Read what a delivery sends',
      description:
        'The body, and the headers of the last attempt. Of a webhook in the format `twilio`, the body has the form, which a GET sends in its query.',
      security: SIGNED_IN,
      requestParams: { path: ID },
      responses: answers(
        success('The request.', DELIVERY_REQUEST),
        webhookRefusals('unauthorized', 'forbidden', 'delivery_not_found'),
      ),
    },
  },
  '/api/webhooks/deliveries/{id}/resend': {
    post: posted(
      'resendDelivery',
      'Send a delivery again',
      'At once, whatever became of it. Its webhook-id stays.',
      success('The delivery, which is under way.', STARTED),
      webhookRefusals('unauthorized', 'forbidden', 'delivery_not_found', 'webhook_disabled'),
    ),
  },
})
