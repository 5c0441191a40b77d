import { Hono } from 'hono'
import { z } from 'zod'
import { changeAuthRecord, type InSameTransaction } from '../../auth/account.ts'
import { endSession, listSessions, SESSION, startSession } from '../../auth/sessions.ts'
import { listSuperusers } from '../../auth/superusers.ts'
import { readClaims, tokenOf } from '../../auth/tokens.ts'
import { forbidden } from '../../errors.ts'
import {
  endBrowsers,
  listBrowsers,
  PUSH_BROWSER,
  personOf,
  saveBrowser,
} from '../../notifications/push-jobs.ts'
import { ACCOUNT, chapter, NOBODY, SIGNED_IN } from '../../openapi/operations.ts'
import { answerRecord } from '../../records/expand.ts'
import { toRow } from '../../records/record-sql.ts'
import { SUBSCRIPTION, vapidKeys } from '../../sms/devices/web-push.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { readJson } from '../body/raw-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditRequest, requireAuth, requireUser } from '../middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../middleware/guest-body.ts'
import { queryOf } from '../query.ts'
import { buildRequest, meterFor, sendRaw } from '../request-info.ts'
import { clientIp } from '../server/client-ip.ts'
import { storeOf } from '../server/store-of.ts'

/** `/api/account`: sessions and notifications. `/api/setup`: what a sign-in page needs. */
export function accountRoutes(services: Services): Hono<Env> {
  return new Hono<Env>()
    .get('/account/sessions', async (c) => {
      const { auth, store } = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      const token = tokenOf(c.env.incoming.headers.authorization)
      return c.json({ items: await listSessions(store.db, auth, token) })
    })
    .delete('/account/sessions/:id', async (c) => {
      const { auth, store } = await requireAuth(c, services)
      await endSession(store, auth, c.req.param('id'), noteEnd(c, services))
      return c.body(null, 204)
    })
    .post('/account/end-other-sessions', (c) => endOthers(c, services))
    .route('/account', pushRoutes(services))
    .get('/setup', async (c) => {
      const { settings } = services
      const hasSuperuser = (await listSuperusers(storeOf(c, services, null))).length > 0
      return c.json({ has_superuser: hasSuperuser, sends_mail: settings.current.smtp.enabled })
    })
}

const noteEnd =
  (c: Ctx, services: Services): InSameTransaction =>
  async (db, auth) => {
    if (!auth.isSuperuser) return
    const entry = { action: 'end session', collection: auth.collection.name, record: auth.id }
    await auditRequest(c, services, auth, entry, db)
  }

/** `/api/account/push…`: the browsers in which a user is notified of texts. */
function pushRoutes(services: Services): Hono<Env> {
  const { config } = services
  return new Hono<Env>()
    .get('/push-key', async (c) => {
      const { store } = await requireUser(c, services)
      return c.json({ key: (await vapidKeys(store)).publicKey })
    })
    .get('/push', async (c) => {
      const { auth, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json({ items: await listBrowsers(store.db, personOf(auth)) })
    })
    .put('/push', async (c) => {
      const { auth, store } = await requireUser(c, services)
      const subscription = checkShape(SUBSCRIPTION, await readJson(c, GUEST_BODY_BYTES))
      const { 'user-agent': agent = '' } = c.env.incoming.headers
      await saveBrowser(store.db, personOf(auth), subscription, agent, config)
      return c.body(null, 204)
    })
    .delete('/push', async (c) => {
      const { auth, store } = await requireUser(c, services)
      await endBrowsers(store.db, personOf(auth), queryOf(c).endpoint)
      return c.body(null, 204)
    })
}

async function endOthers(c: Ctx, services: Services): Promise<Response> {
  const { auth: asking, store } = await requireAuth(c, services)
  // a token that cannot be refreshed must not be exchanged for one that can
  if (!readClaims(tokenOf(c.env.incoming.headers.authorization))?.refreshable)
    throw forbidden('This session cannot be renewed.')
  const origin = { ip: clientIp(c, services), userAgent: c.env.incoming.headers['user-agent'] ?? '' }
  const change = { endsTokens: true }
  const auth = await changeAuthRecord(store, services.extensions, asking, change, 'Failed to sign out.')
  const token = await startSession(store.db, auth, origin)
  const entry = { action: 'end other sessions', collection: auth.collection.name, record: auth.id }
  if (auth.isSuperuser) await auditRequest(c, services, auth, entry)
  const request = buildRequest(c, auth, {}, 'default', meterFor(c, auth))
  const record = await answerRecord(store, auth.collection, toRow(auth.collection, auth.values), request)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"record":${record},"token":${JSON.stringify(token)}}`)
}

const SETUP = z
  .object({
    has_superuser: z.boolean().describe('False until the first superuser is made.'),
    sends_mail: z.boolean().describe('False while no mail server is set: then mails go to the log.'),
  })
  .meta({ id: 'Setup' })

export const accountPaths = () =>
  chapter(ACCOUNT, SIGNED_IN, {
    'GET /api/account/sessions': {
      id: 'listSessions',
      summary: 'List where the account is signed in',
      description:
        'List where the account that asks is signed in: its 50 latest sign-ins, the last used first.',
      answer: ['The sessions.', z.object({ items: z.array(SESSION) }).meta({ id: 'Sessions' })],
    },
    'DELETE /api/account/sessions/{id}': {
      id: 'endSession',
      summary: 'End one session',
      description:
        'All its tokens are refused from now on, those that a refresh gave included. Event streams of the account are closed; those of other sessions can be opened again.',
      answer: ['Ended.'],
      fails: [401, 404],
    },
    'POST /api/account/end-other-sessions': {
      id: 'endOtherSessions',
      summary: 'Sign out everywhere else',
      description:
        'End all tokens of the account that asks, impersonations and links of mails included. The answer has a token to go on with.',
      answer: [
        'The account and its new token.',
        z.object({ record: z.record(z.string(), z.unknown()), token: z.string() }).meta({ id: 'Renewed' }),
      ],
      fails: [400, 401],
    },
    'GET /api/account/push-key': {
      id: 'readAccountPushKey',
      summary: "Read the server's VAPID key",
      description: 'For the Web Push subscription of a browser (RFC 8292).',
      answer: ['The public key, in base64url.', z.object({ key: z.string() }).meta({ id: 'AccountPushKey' })],
    },
    'GET /api/account/push': {
      id: 'listPushBrowsers',
      summary: 'List browsers that show notifications',
      description:
        'List the browsers in which the person is notified of new texts, the newest first; at most 20. A member who acts for an account has browsers of their own there.',
      answer: ['The browsers.', z.object({ items: z.array(PUSH_BROWSER) }).meta({ id: 'PushBrowsers' })],
    },
    'PUT /api/account/push': {
      id: 'savePushBrowser',
      summary: 'Notify in a browser',
      description:
        'Keep the subscription of a browser, as `PushSubscription.toJSON()` gives it. New texts are pushed to it until it is deleted, its push service ends it (404, 410), or the sessions of the person end. With 20 browsers the oldest is replaced. `notify` of `user_settings` or of the membership says what is pushed.',
      body: [SUBSCRIPTION],
      answer: ['Kept.'],
    },
    'DELETE /api/account/push': {
      id: 'deletePushBrowser',
      summary: 'End notifications',
      description: 'End the notifications of one browser, or without `endpoint` of all.',
      params: {
        query: z.object({ endpoint: z.string().optional().describe('The address of the subscription.') }),
      },
      answer: ['Ended.'],
    },
    'GET /api/setup': {
      id: 'readSetup',
      summary: 'Read what a sign-in page has to know',
      security: NOBODY,
      answer: ['How far the server is set up.', SETUP],
    },
  })
