import { Hono } from 'hono'
import { isListed } from '../../auth/limits/addresses.ts'
import { findByToken } from '../../auth/tokens/identify.ts'
import { signToken } from '../../auth/tokens/tokens.ts'
import type { Db } from '../../db/open.ts'
import { notFound } from '../../errors.ts'
import { findStored, readStored, type StoredFile } from '../../files/contents.ts'
import { findThumb } from '../../files/thumbs.ts'
import { findServedFile } from '../../records/read/served-file.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import { type SentFile, sendFile } from '../files/send-file.ts'
import { requireAuth } from '../middleware/guards.ts'
import { bodyOf, buildRequest } from '../request-info.ts'
import { withCatalog } from '../retry.ts'
import { sendJson } from '../send-json.ts'
import { clientIp } from '../server/client-ip.ts'
import { holderOf } from '../server/holder.ts'

/** `/api/files`: files, thumbnails, tokens for protected ones. PocketBase: apis/file.go, contract 7.3 */
export const fileRoutes = (services: Services) =>
  new Hono<Env>()
    .post('/token', async (c) => {
      const auth = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      return sendJson(c, JSON.stringify({ token: await signToken(auth, 'file') }))
    })
    .get('/:collection/:record/:file', (c) =>
      withCatalog(services.store, () => serve(c, services), { isRead: true }),
    )

async function serve(c: Ctx, services: Services): Promise<Response> {
  const { store } = services
  const { collection: asked, record, file: name } = c.req.param() as Record<string, string>
  const collection = store.catalog.find(asked!)
  if (!collection) throw notFound('Missing or invalid collection context.')
  const ask = () => askerOf(c, services)
  const { place, field } = await findServedFile(store, collection, record!, name!, ask)
  const original = await findStored(store.db, place)
  if (!original) throw notFound()
  const { thumb = '' } = queryOf(c)
  // callers for open files are unknown: the address counts
  const holder = holderOf(c.env.incoming, services, null)
  const small = thumb && (await findThumb(store.db, place, original, { size: thumb, field, holder }))
  // other pages may frame it
  c.env.outgoing.removeHeader('X-Frame-Options')
  return small
    ? sendFile(c, sentFile(store.db, small, holder), `${thumb}_${name}`)
    : sendFile(c, sentFile(store.db, original, holder), name!)
}

const sentFile = (db: Db, file: StoredFile, holder: string): SentFile => ({
  ...file,
  read: (start, end) => readStored(db, file, start, end, holder),
})

/** The caller for a protected file: the owner of the token in the address. Headers do not count. */
async function askerOf(c: Ctx, services: Services): Promise<RequestInfo> {
  const { values } = await bodyOf(c)
  const auth = await findByToken(services.store, queryOf(c).token ?? '', 'file')
  return buildRequest(c, isAllowed(c, services, auth) ? auth : null, values, 'protectedFile')
}

/** Superusers may be bound to addresses. */
function isAllowed(c: Ctx, services: Services, auth: AuthRecord | null): boolean {
  const { superuserIPs } = services.settings.current
  return !auth?.isSuperuser || superuserIPs.length === 0 || isListed(superuserIPs, clientIp(c, services))
}
