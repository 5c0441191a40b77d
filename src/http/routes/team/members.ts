import { Hono } from 'hono'
import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { ACCOUNT_OF_MEMBER, listAccounts, ME, readMe } from '../../../auth/members/accounts.ts'
import { failures, success } from '../../../openapi/schemas/answers.ts'
import { ACCOUNT } from '../../../openapi/schemas/chapters.ts'
import { chapter } from '../../../openapi/schemas/operations.ts'
import { SIGNED_IN } from '../../../openapi/schemas/security.ts'
import type { Env, Services } from '../../context.ts'
import { requireAuth, requireUser } from '../../middleware/guards.ts'

/** `/api/account`: who acts for which account. */
export const memberRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/me', async (c) => {
      const { auth, store } = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await readMe(store.db, auth))
    })
    .get('/accounts', async (c) => {
      const { user, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await listAccounts(store.db, user))
    })

/** The description. */
export const memberPaths = (): ZodOpenApiPathsObject =>
  chapter(ACCOUNT, SIGNED_IN, {
    'GET /api/account/me': {
      id: 'readMe',
      summary: 'Read the account of the token, and who uses it',
      responses: [success('Account, sender and role.', ME), failures(401)],
    },
    'GET /api/account/accounts': {
      id: 'listAccounts',
      summary: 'List the accounts that one may act for',
      description: 'List the accounts that the user is a member of, by name; at most 1,000.',
      responses: [success('The accounts.', z.array(ACCOUNT_OF_MEMBER)), failures(401)],
    },
  })
