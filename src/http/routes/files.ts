import { z } from 'zod'
import { isTokenAllowedAt } from '../../engine/auth/allowed-addresses.ts'
import { isAddressAllowed } from '../../engine/auth/superuser-addresses.ts'
import { requireSuperuserFactor } from '../../engine/auth/superuser-factor.ts'
import { findRecordByToken, signToken } from '../../engine/auth/tokens.ts'
import { findThumb } from '../../engine/files/find-thumbnail.ts'
import { isLinkToken } from '../../engine/files/link-token.ts'
import { findStoredFile, readStoredFile, type StoredFile } from '../../engine/files/stored-files.ts'
import { isFileOfDisabledUser } from '../../engine/records/disabled-user.ts'
import { findServedFile } from '../../engine/records/find-served-file.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { allowAuthenticated, allowByRules } from '../allow-callers.ts'
import { NO_CALLER, retryRequest } from '../attempt.ts'
import { readRequestBody } from '../body/read-body.ts'
import { makeRoutes } from '../make-routes.ts'
import { requirePathCollection } from '../middleware/require-caller.ts'
import { SERVER_TAG } from '../openapi/describe-operations.ts'
import { FILE } from '../openapi/success-answers.ts'
import type { Ctx, Services } from '../request-context.ts'
import { sendJson } from '../send-answer.ts'
import { type SentFile, sendFile } from './send-file.ts'

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

/** `/api/files`: files, thumbnails, tokens for protected files. PocketBase: apis/file.go, contract 7.3 */
export const FILE_ROUTES = makeRoutes(
  SERVER_TAG,
  {
    'POST /api/files/token': {
      permission: allowAuthenticated('viewer'),
      bound: 'keys',
      describe: {
        id: 'fileToken',
        summary: 'Get a token for links to protected files',
        description:
          'Valid for three minutes. It opens the files that its owner may view; for a member who acts for an account, the files that the role may view.',
        answer: ['The token.', TOKEN],
        fails: [400, 401],
      },
      run: async ({ auth }, c) => {
        c.header('cache-control', 'no-store')
        return { token: await signToken(auth, 'file') }
      },
    },
    'GET /api/files/:collection/:record/:filename': {
      permission: allowByRules(),
      bound: 'pieces',
      describe: {
        id: 'file',
        summary: 'Get a file of a record',
        description:
          'Everybody who knows the name may download the file. For protected fields the viewRule applies. Supports ranges and `If-Modified-Since`.',
        params: { query: OPTIONS },
        fails: [400, 404],
        responses: FILE,
      },
      run: ({ services }, c) =>
        retryRequest(services.store, NO_CALLER, () => serveFile(c, services), { isRead: true }),
    },
  },
  sendJson,
)

/**
 * Only the browser keeps a protected file of pocketsms' own collections, as long as a file token is valid:
 * three minutes. Files of other collections have PocketBase's header.
 */
const PROTECTED_CACHING = 'private, max-age=180'

async function serveFile(c: Ctx, services: Services): Promise<Response> {
  const { record = '', filename: name = '' } = c.req.param() as Readonly<Record<string, string>>
  // public files need no caller: limits count for the client's network
  const store = c.env.incoming.openStore(null)
  const collection = requirePathCollection(c, services)
  const asked = { collection: collection.id, record, name }
  const { thumb = '', token = '' } = c.env.incoming.query
  const ask = async () =>
    ((await isLinkToken(store.db, asked, token)) &&
      !(await isFileOfDisabledUser(store.db, asked))) ||
    (await makeProtectedRequest(c, services))
  const { place, field } = await findServedFile(store, collection, record, name, ask)
  const original = await findStoredFile(store.db, place)
  if (!original) throw notFound()
  const holder = c.env.incoming.findHolder(null)
  const isOwn = services.extensions.get(collection.id) !== undefined
  const caching = isOwn && field.protected ? { caching: PROTECTED_CACHING } : {}
  const small =
    thumb && (await findThumb(store.db, place, original, { size: thumb, field, holder }))
  // other sites may embed files in frames
  c.env.outgoing.removeHeader('X-Frame-Options')
  return small
    ? sendStoredFile(c, store.db, small, caching, `${thumb}_${name}`)
    : sendStoredFile(c, store.db, original, caching, name)
}

/** Answers with a stored file. */
export const sendStoredFile = (
  c: Ctx,
  db: Db,
  file: StoredFile,
  caching: Pick<SentFile, 'caching'> = {},
  name = file.name,
): Response =>
  sendFile(
    c,
    { ...file, ...caching, read: (start, end) => readStoredFile(db, file, start, end) },
    name,
  )

/**
 * The request for a protected file. Its caller is the owner of the token in the URL, if allowed here. Throws
 * 403 for a superuser who must set up a second factor first.
 */
async function makeProtectedRequest(c: Ctx, services: Services): Promise<RequestInfo> {
  const { values } = await readRequestBody(c)
  const auth = await findRecordByToken(
    services.store.signIn,
    c.env.incoming.query.token ?? '',
    'file',
  )
  await requireSuperuserFactor(services, auth, c.req.path)
  const { ip } = c.env.incoming
  const isAllowed = auth && isAddressAllowed(services, auth, ip) && isTokenAllowedAt(auth, ip)
  return c.env.incoming.describe(isAllowed ? auth : null, values, 'protectedFile')
}
