import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { SESSION } from '../../auth/sessions/sessions.ts'
import { PUSH_BROWSER } from '../../notifications/subscriptions.ts'
import { SUBSCRIPTION } from '../../sms/devices/web-push.ts'
import { SIGNING_KEY } from '../../webhooks/smsgate-key.ts'
import { answers, done, failures, json, success } from '../schemas/answers.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** The chapter of the description. */
export const ACCOUNT = 'account'

const SETUP = z
  .object({
    has_superuser: z.boolean().meta({ description: 'False until the first superuser is made.' }),
    sends_mail: z
      .boolean()
      .meta({ description: 'False while no mail server is set: then mails go to the log.' }),
  })
  .meta({ id: 'Setup' })

/** `/api/account` and `/api/setup`: what an account asks about itself, and a page before the sign-in. */
export const accountPaths = (): ZodOpenApiPathsObject => ({
  '/api/account/sessions': {
    get: {
      operationId: 'listSessions',
      tags: [ACCOUNT],
      summary: 'List where the account is signed in',
      description:
        'List where the account that asks is signed in: its 50 latest sign-ins, the last used first.',
      security: SIGNED_IN,
      responses: answers(
        success('The sessions.', z.object({ items: z.array(SESSION) }).meta({ id: 'Sessions' })),
        failures(401),
      ),
    },
  },
  '/api/account/sessions/{id}': {
    delete: {
      operationId: 'endSession',
      tags: [ACCOUNT],
      summary: 'End one session',
      description:
        'All its tokens are refused from now on, those that a refresh gave included. Event streams of the account are closed; those of other sessions can be opened again.',
      security: SIGNED_IN,
      requestParams: { path: z.object({ id: z.string().meta({ description: 'Of the session.' }) }) },
      responses: answers(done('Ended.'), failures(401, 404)),
    },
  },
  '/api/account/end-other-sessions': {
    post: {
      operationId: 'endOtherSessions',
      tags: [ACCOUNT],
      summary: 'Sign out everywhere else',
      description:
        'End all tokens of the account that asks, impersonations and links of mails included. The answer has a token to go on with.',
      security: SIGNED_IN,
      responses: answers(
        success(
          'The account and its new token.',
          z.object({ record: z.record(z.string(), z.unknown()), token: z.string() }).meta({ id: 'Renewed' }),
        ),
        failures(400, 401, 403),
      ),
    },
  },
  '/api/account/push-key': {
    get: {
      operationId: 'readAccountPushKey',
      tags: [ACCOUNT],
      summary: "Read the server's VAPID key",
      description: 'For the Web Push subscription of a browser (RFC 8292).',
      security: SIGNED_IN,
      responses: answers(
        success(
          'The public key, in base64url.',
          z.object({ key: z.string() }).meta({ id: 'AccountPushKey' }),
        ),
        failures(401),
      ),
    },
  },
  '/api/account/push': {
    get: {
      operationId: 'listPushBrowsers',
      tags: [ACCOUNT],
      summary: 'List browsers that show notifications',
      description:
        'List the browsers in which the user is notified of new texts, the newest first; at most 20.',
      security: SIGNED_IN,
      responses: answers(
        success('The browsers.', z.object({ items: z.array(PUSH_BROWSER) }).meta({ id: 'PushBrowsers' })),
        failures(401),
      ),
    },
    put: {
      operationId: 'savePushBrowser',
      tags: [ACCOUNT],
      summary: 'Notify in a browser',
      description:
        'Keep the subscription of a browser, as `PushSubscription.toJSON()` gives it. New texts are pushed to it until it is deleted, its push service ends it (404, 410), or the sessions of the user end. With 20 browsers the oldest is replaced.',
      security: SIGNED_IN,
      requestBody: { required: true, content: json(SUBSCRIPTION) },
      responses: answers(done('Kept.'), failures(400, 401, 413)),
    },
    delete: {
      operationId: 'deletePushBrowser',
      tags: [ACCOUNT],
      summary: 'End notifications',
      description: 'End the notifications of one browser, or without `endpoint` of all.',
      security: SIGNED_IN,
      requestParams: {
        query: z.object({
          endpoint: z.string().optional().meta({ description: 'The address of the subscription.' }),
        }),
      },
      responses: answers(done('Ended.'), failures(401)),
    },
  },
  '/api/account/smsgate-key': {
    get: {
      operationId: 'readSmsgateKey',
      tags: [ACCOUNT],
      summary: "Read the signing key of SMSGate's form",
      description:
        "The key with which the user's webhooks in SMSGate's form are signed. Made when it is first read.",
      security: SIGNED_IN,
      responses: answers(success('The key.', SIGNING_KEY), failures(401)),
    },
    put: {
      operationId: 'saveSmsgateKey',
      tags: [ACCOUNT],
      summary: "Change the signing key of SMSGate's form",
      description: 'What is delivered from now on is signed with it.',
      security: SIGNED_IN,
      requestBody: { required: true, content: json(SIGNING_KEY) },
      responses: answers(done('Kept.'), failures(400, 401, 413)),
    },
  },
  '/api/setup': {
    get: {
      operationId: 'readSetup',
      tags: [ACCOUNT],
      summary: 'Read what a sign-in page has to know',
      security: NOBODY,
      responses: answers(success('How far the server is set up.', SETUP), failures()),
    },
  },
})
