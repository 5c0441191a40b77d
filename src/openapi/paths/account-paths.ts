import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { SESSION } from '../../auth/sessions/sessions.ts'
import { PUSH_BROWSER } from '../../notifications/subscriptions.ts'
import { SUBSCRIPTION } from '../../sms/devices/web-push.ts'
import { done, failures, success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** The chapter of the description. */
export const ACCOUNT = 'account'

const SETUP = z
  .object({
    has_superuser: z.boolean().describe('False until the first superuser is made.'),
    sends_mail: z.boolean().describe('False while no mail server is set: then mails go to the log.'),
  })
  .meta({ id: 'Setup' })

/** `/api/account` and `/api/setup`: what an account asks about itself, and a page before the sign-in. */
export const accountPaths = (): ZodOpenApiPathsObject =>
  chapter(ACCOUNT, SIGNED_IN, {
    'GET /api/account/sessions': {
      id: 'listSessions',
      summary: 'List where the account is signed in',
      description:
        'List where the account that asks is signed in: its 50 latest sign-ins, the last used first.',
      responses: [
        success('The sessions.', z.object({ items: z.array(SESSION) }).meta({ id: 'Sessions' })),
        failures(401),
      ],
    },
    'DELETE /api/account/sessions/{id}': {
      id: 'endSession',
      summary: 'End one session',
      description:
        'All its tokens are refused from now on, those that a refresh gave included. Event streams of the account are closed; those of other sessions can be opened again.',
      params: { path: z.object({ id: z.string().describe('Of the session.') }) },
      responses: [done('Ended.'), failures(401, 404)],
    },
    'POST /api/account/end-other-sessions': {
      id: 'endOtherSessions',
      summary: 'Sign out everywhere else',
      description:
        'End all tokens of the account that asks, impersonations and links of mails included. The answer has a token to go on with.',
      responses: [
        success(
          'The account and its new token.',
          z.object({ record: z.record(z.string(), z.unknown()), token: z.string() }).meta({ id: 'Renewed' }),
        ),
        failures(400, 401, 403),
      ],
    },
    'GET /api/account/push-key': {
      id: 'readAccountPushKey',
      summary: "Read the server's VAPID key",
      description: 'For the Web Push subscription of a browser (RFC 8292).',
      responses: [
        success(
          'The public key, in base64url.',
          z.object({ key: z.string() }).meta({ id: 'AccountPushKey' }),
        ),
        failures(401),
      ],
    },
    'GET /api/account/push': {
      id: 'listPushBrowsers',
      summary: 'List browsers that show notifications',
      description:
        'List the browsers in which the user is notified of new texts, the newest first; at most 20.',
      responses: [
        success('The browsers.', z.object({ items: z.array(PUSH_BROWSER) }).meta({ id: 'PushBrowsers' })),
        failures(401),
      ],
    },
    'PUT /api/account/push': {
      id: 'savePushBrowser',
      summary: 'Notify in a browser',
      description:
        'Keep the subscription of a browser, as `PushSubscription.toJSON()` gives it. New texts are pushed to it until it is deleted, its push service ends it (404, 410), or the sessions of the user end. With 20 browsers the oldest is replaced.',
      body: [SUBSCRIPTION],
      responses: [done('Kept.'), failures(400, 401, 413)],
    },
    'DELETE /api/account/push': {
      id: 'deletePushBrowser',
      summary: 'End notifications',
      description: 'End the notifications of one browser, or without `endpoint` of all.',
      params: {
        query: z.object({ endpoint: z.string().optional().describe('The address of the subscription.') }),
      },
      responses: [done('Ended.'), failures(401)],
    },
    'GET /api/setup': {
      id: 'readSetup',
      summary: 'Read what a sign-in page has to know',
      security: NOBODY,
      responses: [success('How far the server is set up.', SETUP), failures()],
    },
  })
