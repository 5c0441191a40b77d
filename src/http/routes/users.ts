import { Hono } from 'hono'
import { checkShape } from '../../sms/send/shape.ts'
import { ENABLE_USER, enableUser, readAccess } from '../../sms/user-access.ts'
import { readJson } from '../body/json-body.ts'
import type { Env, Services } from '../context.ts'
import { auditRequest } from '../middleware/audit.ts'
import { requireSuperuser } from '../middleware/guards.ts'
import { sendRaw } from '../send-json.ts'

const MAX_BODY_BYTES = 1_000

/** `/api/users`, for superusers: what acts for a user without a sign-in, and what becomes of it. */
export const userRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/:id/access', async (c) => {
      await requireSuperuser(c, services)
      return sendRaw(c, JSON.stringify(await readAccess(services.store.db, c.req.param('id'))))
    })
    .post('/:id/enable', async (c) => {
      const auth = await requireSuperuser(c, services)
      const id = c.req.param('id')
      const body = checkShape(ENABLE_USER, await readJson(c, MAX_BODY_BYTES))
      const { db, catalog } = services.store
      const found = await db.transaction(async (tx) => {
        const store = { db: tx, catalog }
        const answer = await enableUser(store, services.extensions, id, body)
        const action = body.access === 'end' ? 'enable user, end access' : 'enable user'
        await auditRequest(c, services, auth, { action, collection: 'users', record: id }, tx)
        return answer
      })
      return sendRaw(c, JSON.stringify(found))
    })
