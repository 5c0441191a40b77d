import { Hono } from 'hono'
import type { InSameTransaction } from '../../auth/account/change.ts'
import { endOtherSessions } from '../../auth/sessions/end-others.ts'
import { endSession } from '../../auth/sessions/end-session.ts'
import { listSessions } from '../../auth/sessions/sessions.ts'
import { listSuperusers } from '../../auth/superusers/superusers.ts'
import { tokenOf } from '../../auth/tokens/identify.ts'
import { readClaims } from '../../auth/tokens/tokens.ts'
import { forbidden } from '../../errors.ts'
import { endBrowsers, listBrowsers, saveBrowser } from '../../notifications/subscriptions.ts'
import { toRow } from '../../records/columns.ts'
import { answerRecord } from '../../records/expand/answer.ts'
import { SUBSCRIPTION, vapidKeys } from '../../sms/devices/web-push.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { readJson } from '../body/json-body.ts'
import { meterFor } from '../body/large-answer.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import { auditRequest } from '../middleware/audit.ts'
import { requireAuth, requireUser } from '../middleware/guards.ts'
import { GUEST_BODY_BYTES } from '../middleware/guest-body.ts'
import { buildRequest } from '../request-info.ts'
import { sendRaw } from '../send-json.ts'
import { clientIp } from '../server/client-ip.ts'

/** `/api/account`: sessions and notifications. `/api/setup`: what a sign-in page needs. */
export function accountRoutes(services: Services): Hono<Env> {
  const { store } = services
  return new Hono<Env>()
    .get('/account/sessions', async (c) => {
      const auth = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      const token = tokenOf(c.env.incoming.headers.authorization)
      return c.json({ items: await listSessions(store.db, auth, token) })
    })
    .delete('/account/sessions/:id', async (c) => {
      const auth = await requireAuth(c, services)
      await endSession(store, auth, c.req.param('id'), noteEnd(c, services))
      return c.body(null, 204)
    })
    .post('/account/end-other-sessions', (c) => endOthers(c, services))
    .route('/account', pushRoutes(services))
    .get('/setup', async (c) => {
      const { settings } = services
      const hasSuperuser = (await listSuperusers(store)).length > 0
      return c.json({ has_superuser: hasSuperuser, sends_mail: settings.current.smtp.enabled })
    })
}

/** Notes that a superuser has ended a session. */
const noteEnd =
  (c: Ctx, services: Services): InSameTransaction =>
  async (db, auth) => {
    if (!auth.isSuperuser) return
    const entry = { action: 'end session', collection: auth.collection.name, record: auth.id }
    await auditRequest(c, services, auth, entry, db)
  }

/** `/api/account/push…`: the browsers in which a user is notified of texts. */
function pushRoutes(services: Services): Hono<Env> {
  const { store, config } = services
  return new Hono<Env>()
    .get('/push-key', async (c) => {
      await requireUser(c, services)
      return c.json({ key: (await vapidKeys(store)).publicKey })
    })
    .get('/push', async (c) => {
      const user = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json({ items: await listBrowsers(store.db, user) })
    })
    .put('/push', async (c) => {
      const user = await requireUser(c, services)
      const subscription = checkShape(SUBSCRIPTION, await readJson(c, GUEST_BODY_BYTES))
      const { 'user-agent': agent = '' } = c.env.incoming.headers
      await saveBrowser(store.db, user, subscription, agent, config)
      return c.body(null, 204)
    })
    .delete('/push', async (c) => {
      await endBrowsers(store.db, await requireUser(c, services), queryOf(c).endpoint)
      return c.body(null, 204)
    })
}

const claimsOf = (c: Ctx) => readClaims(tokenOf(c.env.incoming.headers.authorization))

async function endOthers(c: Ctx, services: Services): Promise<Response> {
  const { store, extensions } = services
  const asking = await requireAuth(c, services)
  // such a token cannot be refreshed: it must not become one that can
  if (!claimsOf(c)?.refreshable) throw forbidden('This session cannot be renewed.')
  const origin = { ip: clientIp(c, services), userAgent: c.env.incoming.headers['user-agent'] ?? '' }
  const { auth, token } = await endOtherSessions(store, extensions, asking, origin)
  if (auth.isSuperuser)
    await auditRequest(c, services, auth, {
      action: 'end other sessions',
      collection: auth.collection.name,
      record: auth.id,
    })
  const request = buildRequest(c, auth, {}, 'default', { meter: meterFor(c, services, auth) })
  const record = await answerRecord(store, auth.collection, toRow(auth.collection, auth.values), request)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"record":${record},"token":${JSON.stringify(token)}}`)
}
