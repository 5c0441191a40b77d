import { Hono } from 'hono'
import { chapter, SIGNED_IN } from '../../openapi/operations.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { ENABLE_USER, enableUser, readAccess, USER_ACCESS } from '../../sms/users/user-access.ts'
import { readJson } from '../body/raw-body.ts'
import type { Env, Services } from '../context.ts'
import { answerSuperuser, auditRequest, requireSuperuser } from '../middleware/audit.ts'
import { sendRaw } from '../request-info.ts'

const MAX_BODY_BYTES = 1_000

/** `/api/users`, for superusers: lists and ends a user's devices, keys and the like. */
export const userRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/:id/access', (c) =>
      answerSuperuser(c, services, ({ store }) => readAccess(store.db, c.req.param('id'))),
    )
    .post('/:id/enable', async (c) => {
      const { auth, store } = await requireSuperuser(c, services)
      const id = c.req.param('id')
      const body = checkShape(ENABLE_USER, await readJson(c, MAX_BODY_BYTES))
      const found = await store.db.transaction(async (db) => {
        const answer = await enableUser({ db, catalog: store.catalog }, services.extensions, id, body)
        const action = body.access === 'end' ? 'enable user, end access' : 'enable user'
        await auditRequest(c, services, auth, { action, collection: 'users', record: id }, db)
        return answer
      })
      return sendRaw(c, JSON.stringify(found))
    })

export const userPaths = () =>
  chapter('users', SIGNED_IN, {
    'GET /api/users/{id}/access': {
      id: 'readUserAccess',
      summary: 'List what acts for a user',
      description:
        'For superusers: API keys, devices, enabled webhooks, hooks and automatic answers, campaigns that are not over, and how many messages wait.',
      answer: ['The lists.', USER_ACCESS],
      fails: [401, 404],
    },
    'POST /api/users/{id}/enable': {
      id: 'enableUser',
      summary: 'Enable a disabled user',
      description: 'For superusers: ends what acts for the user, or keeps all of it, in one transaction.',
      body: [ENABLE_USER],
      answer: ['What there was: it has ended, or goes on.', USER_ACCESS],
      fails: [400, 401, 404, 413],
    },
  })
