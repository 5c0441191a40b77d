import { Hono } from 'hono'
import { signToken } from '../../auth/tokens.ts'
import { notFound } from '../../errors.ts'
import { type Env, type Services, sendJson } from '../context.ts'
import { requireAuth } from '../guards.ts'

/**
 * `/api/files`: a short-lived token for links to protected files. The server keeps the names of files, not the files: each is
 * answered as missing. PocketBase: apis/file.go, contract 7.3
 */
export const fileRoutes = (services: Services) =>
  new Hono<Env>()
    .post('/token', async (c) => {
      const auth = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      return sendJson(c, JSON.stringify({ token: await signToken(auth, 'file') }))
    })
    .get('/:collection/:record/:file', (c) => {
      const collection = services.store.catalog.find(c.req.param('collection'))
      throw notFound(collection ? '' : 'Missing or invalid collection context.')
    })
