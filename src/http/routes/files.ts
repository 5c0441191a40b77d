import { Hono } from 'hono'
import { z } from 'zod'
import { isAddressAllowed } from '../../auth/sign-in.ts'
import { findByToken, signToken } from '../../auth/tokens.ts'
import type { Db } from '../../db/open.ts'
import { notFound } from '../../errors.ts'
import { findStored, readStored, type StoredFile } from '../../files/contents.ts'
import { isLinkToken } from '../../files/link.ts'
import { findThumb } from '../../files/thumbnail.ts'
import { ANYONE, chapter, FILE, SERVER, SIGNED_IN } from '../../openapi/operations.ts'
import { findServedFile } from '../../records/served-file.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { type SentFile, sendFile } from '../files/send-file.ts'
import { requireAuth } from '../middleware/audit.ts'
import { queryOf } from '../query.ts'
import { bodyOf, buildRequest, sendJson } from '../request-info.ts'
import { withCatalog } from '../retry.ts'
import { clientIp } from '../server/client-ip.ts'
import { holderOf, storeOf } from '../server/store-of.ts'

/** `/api/files`: files, thumbnails, tokens for protected ones. PocketBase: apis/file.go, contract 7.3 */
export const fileRoutes = (services: Services) =>
  new Hono<Env>()
    .post('/token', async (c) => {
      const { auth } = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      return sendJson(c, JSON.stringify({ token: await signToken(auth, 'file') }))
    })
    .get('/:collection/:record/:file', (c) =>
      withCatalog(services.store, () => serve(c, services), { isRead: true }),
    )

async function serve(c: Ctx, services: Services): Promise<Response> {
  const { collection: named, record, file: name } = c.req.param() as Record<string, string>
  // public files need no caller: charge the address
  const store = storeOf(c, services, null)
  const collection = store.catalog.find(named!)
  if (!collection) throw notFound('Missing or invalid collection context.')
  const asked = { collection: collection.id, record: record!, name: name! }
  const { thumb = '', token = '' } = queryOf(c)
  const ask = async () => (await isLinkToken(store.db, asked, token)) || (await askerOf(c, services))
  const { place, field } = await findServedFile(store, collection, record!, name!, ask)
  const original = await findStored(store.db, place)
  if (!original) throw notFound()
  const holder = holderOf(c.env.incoming, services, null)
  const small = thumb && (await findThumb(store.db, place, original, { size: thumb, field, holder }))
  // other sites may embed files in frames
  c.env.outgoing.removeHeader('X-Frame-Options')
  return small
    ? sendFile(c, sentFile(store.db, small), `${thumb}_${name}`)
    : sendFile(c, sentFile(store.db, original), name!)
}

export const sentFile = (db: Db, file: StoredFile): SentFile => ({
  ...file,
  read: (start, end) => readStored(db, file, start, end),
})

/** The caller for a protected file: the owner of the token in the URL. Ignores headers. */
async function askerOf(c: Ctx, services: Services): Promise<RequestInfo> {
  const { values } = await bodyOf(c)
  const auth = await findByToken(services.store.signIn, queryOf(c).token ?? '', 'file')
  const isAllowed = isAddressAllowed(services, auth, clientIp(c, services))
  return buildRequest(c, isAllowed ? auth : null, values, 'protectedFile')
}

const TOKEN = z.object({ token: z.string() }).meta({ id: 'FileToken' })

const OPTIONS = z.object({
  thumb: z.string().optional().meta({
    description:
      'Of a PNG, JPEG, GIF or WebP a small copy: `100x100`, or a size of the field. `WxH` is cut to the middle, with `t` to the top, `b` to the bottom; `f` cuts nothing; `Wx0`, `0xH` keep the proportions. For anything else the file itself comes.',
    example: '100x100',
  }),
  download: z.string().optional().describe('`1`: to be saved, not shown.'),
  token: z
    .string()
    .optional()
    .describe(
      'Of `POST /api/files/token`: for files of a protected field. The links of webhooks have one of their own.',
    ),
})

export const filePaths = () =>
  chapter(SERVER, SIGNED_IN, {
    'POST /api/files/token': {
      id: 'fileToken',
      summary: 'Get a token for links to protected files',
      description:
        'Good for three minutes. It opens what its owner may view, and of a member who acts for an account what the role may.',
      answer: ['The token.', TOKEN],
      fails: [400, 401],
    },
    'GET /api/files/{collection}/{record}/{filename}': {
      id: 'file',
      summary: 'Get a file of a record',
      description:
        'Whoever knows the name may, but for protected fields: for those the viewRule counts. Ranges and `If-Modified-Since` work.',
      security: ANYONE,
      params: { query: OPTIONS },
      fails: [400, 404],
      responses: FILE,
    },
  })
