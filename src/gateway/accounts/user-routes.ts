import { allowSuperuser } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import { sendJson } from '../../http/send-answer.ts'
import { checkShape } from '../base/body-schemas.ts'
import { ENABLE_USER, enableUser, loadUserAccess, USER_ACCESS } from './enable-user.ts'

const MAX_BODY_BYTES = 1_000

const OF_ACCESS: Bound = {
  cost: 'keys, devices, webhooks, automatic answers, campaigns and waiting texts of the user',
  by: 'only superusers; 30 s',
}

/** `/api/users` for superusers: lists what acts for a user, such as API keys; enables a disabled user. */
export const USER_ROUTES = makeRoutes(
  'users',
  {
    'GET /api/users/:id/access': {
      permission: allowSuperuser,
      bound: OF_ACCESS,
      describe: {
        id: 'readUserAccess',
        summary: 'List everything that acts for a user',
        description:
          'For superusers: API keys, devices, enabled webhooks, hooks and automatic answers, campaigns that are not over, and how many messages wait.',
        answer: ['The lists.', USER_ACCESS],
        fails: [401, 404],
      },
      run: ({ store }, _, id) => loadUserAccess(store.db, id),
    },
    'POST /api/users/:id/enable': {
      permission: allowSuperuser,
      maxBytes: MAX_BODY_BYTES,
      bound: OF_ACCESS,
      describe: {
        id: 'enableUser',
        summary: 'Enable a disabled user',
        description:
          'For superusers. Ends or keeps everything that acts for the user, in one transaction.',
        body: [ENABLE_USER],
        answer: ['What there was: it has ended, or goes on.', USER_ACCESS],
        fails: [400, 401, 404, 413],
      },
      run: async ({ auth, store: { db, catalog }, services }, c, id) => {
        const body = checkShape(ENABLE_USER, await readJsonBody(c))
        return db.transaction(async (inside) => {
          const answer = await enableUser({ db: inside, catalog }, services.extensions, id, body)
          const action = body.access === 'end' ? 'enable user, end access' : 'enable user'
          await auditRequest(c, auth, { action, collection: 'users', record: id }, inside)
          return answer
        })
      },
    },
  },
  sendJson,
)
