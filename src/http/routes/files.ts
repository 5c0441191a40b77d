import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
import { Hono } from 'hono'
import { z } from 'zod'
import { isAddressAllowed } from '../../auth/superuser-addresses.ts'
import { findByToken, signToken } from '../../auth/tokens.ts'
import type { Db } from '../../db/open.ts'
import { notFound } from '../../errors.ts'
import { isLinkToken } from '../../files/link-token.ts'
import { findStored, readStored, type StoredFile } from '../../files/stored-files.ts'
import { findThumb } from '../../files/thumbnail.ts'
import { FILE } from '../../openapi/content.ts'
import { chapter, SERVER } from '../../openapi/operations.ts'
import { ANYONE, SIGNED_IN } from '../../openapi/security.ts'
import { findServedFile } from '../../records/served-file.ts'
import type { RequestInfo } from '../../request/request.ts'
import { bodyOf } from '../body/body.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import { pathCollection, requireAuth } from '../middleware/audit.ts'
import { buildRequest, sendJson } from '../request-info.ts'
import { withCatalog } from '../retry.ts'
import { clientIp, holderOf, storeOf } from '../server/store-of.ts'

/** `/api/files`: files, thumbnails, tokens for protected files. PocketBase: apis/file.go, contract 7.3 */
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
  const { record = '', file: name = '' } = c.req.param() as Readonly<Record<string, string>>
  // public files need no caller: limits count for the client's network
  const store = storeOf(c, services, null)
  const collection = pathCollection(c, services)
  const asked = { collection: collection.id, record, name }
  const { thumb = '', token = '' } = queryOf(c)
  const ask = async () => (await isLinkToken(store.db, asked, token)) || (await askerOf(c, services))
  const { place, field } = await findServedFile(store, collection, record, name, ask)
  const original = await findStored(store.db, place)
  if (!original) throw notFound()
  const holder = holderOf(c.env.incoming, services, null)
  const small = thumb && (await findThumb(store.db, place, original, { size: thumb, field, holder }))
  // other sites may embed files in frames
  c.env.outgoing.removeHeader('X-Frame-Options')
  return small
    ? sendFile(c, sentFile(store.db, small), `${thumb}_${name}`)
    : sendFile(c, sentFile(store.db, original), name)
}

export const sentFile = (db: Db, file: StoredFile): SentFile => ({
  ...file,
  read: (start, end) => readStored(db, file, start, end),
})

/** The request for a protected file. Its caller is the owner of the token in the URL. */
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
        'Valid for three minutes. It opens the files that its owner may view; for a member who acts for an account, the files that the role may view.',
      answer: ['The token.', TOKEN],
      fails: [400, 401],
    },
    'GET /api/files/{collection}/{record}/{filename}': {
      id: 'file',
      summary: 'Get a file of a record',
      description:
        'Everybody who knows the name may download the file. For protected fields the viewRule applies. Supports ranges and `If-Modified-Since`.',
      security: ANYONE,
      params: { query: OPTIONS },
      fails: [400, 404],
      responses: FILE,
    },
  })

/** Types that browsers show instead of downloading. PocketBase: inlineServeContentTypes */
const INLINE: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpg', 'image/jpeg', 'image/gif', 'image/webp', 'image/x-icon', 'image/bmp'],
  ...['video/webm', 'video/mp4', 'video/3gpp', 'video/quicktime', 'video/x-ms-wmv'],
  ...['audio/basic', 'audio/aiff', 'audio/mpeg', 'audio/midi', 'audio/mp3', 'audio/wave', 'audio/wav'],
  ...['audio/x-wav', 'audio/x-mpeg', 'audio/x-m4a', 'audio/aac', 'application/pdf', 'application/x-pdf'],
])

const OFFICE = 'application/vnd.openxmlformats-officedocument'

const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.xlsx': `${OFFICE}.spreadsheetml.sheet`,
  '.docx': `${OFFICE}.wordprocessingml.document`,
  '.pptx': `${OFFICE}.presentationml.presentation`,
}

const POLICY = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
const CACHING = 'max-age=2592000, stale-while-revalidate=86400'
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

interface SentFile {
  readonly size: number
  readonly type: string
  readonly modified: Date
  readonly caching?: string
  read(start: number, end: number): AsyncGenerator<Buffer>
}

/** Sends a file or a range of it; browsers run no script in it. PocketBase: tools/filesystem, Serve */
export function sendFile(c: Ctx, file: SentFile, name: string): Response {
  const { headers } = c.env.incoming
  const isInline = INLINE.has(file.type) && !TRUE.has(queryOf(c).download ?? '')
  c.header('content-disposition', `${isInline ? 'inline' : 'attachment'}; filename=${JSON.stringify(name)}`)
  c.header('content-security-policy', POLICY)
  c.header('cache-control', file.caching ?? CACHING)
  c.header('last-modified', file.modified.toUTCString())
  const refusal = judgeConditions(headers, file.modified)
  if (refusal === 304) return c.body(null, 304)
  c.header('content-type', typeOf(file, name))
  if (refusal) {
    if (!isHead(c)) c.header('content-length', '0')
    return c.body(null, refusal)
  }
  try {
    return sendRange(c, file, readRange(rangeHeader(headers, file.modified), file.size))
  } catch (error) {
    if (!(error instanceof RangeFault)) throw error
    if (error.isBeyond && file.size === 0) return sendRange(c, file)
    return refuseRange(c, file, error)
  }
}

/** The type to send. INLINE types ignore the name: a GIF stored as `a.js` must not become a script. */
const typeOf = ({ type }: SentFile, name: string) =>
  INLINE.has(type) ? type : (TYPES_BY_EXTENSION[extname(name)] ?? type)

function refuseRange(c: Ctx, { size }: SentFile, fault: RangeFault): Response {
  if (fault.isBeyond) c.header('content-range', `bytes */${size}`)
  c.header('cache-control', undefined)
  c.header('last-modified', undefined)
  c.header('content-type', 'text/plain; charset=utf-8')
  const text = `${fault.message}\n`
  c.header('content-length', String(text.length))
  return c.body(text, 416)
}

function sendRange(c: Ctx, file: SentFile, range?: Range): Response {
  c.header('accept-ranges', 'bytes')
  const { start, length } = range ?? { start: 0, length: file.size }
  if (range) c.header('content-range', `bytes ${start}-${start + length - 1}/${file.size}`)
  c.header('content-length', String(length))
  const status = range ? 206 : 200
  return isHead(c) ? c.body(null, status) : c.body(streamOf(file.read(start, start + length)), status)
}

/** A stream that reads pieces as fast as the client takes them. An error closes the connection early. */
export const streamOf = (pieces: AsyncGenerator<Uint8Array>) =>
  ReadableStream.from(pieces) as ReadableStream<Uint8Array<ArrayBuffer>>

const isHead = (c: Ctx) => c.env.incoming.method === 'HEAD'

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds since 1970 of a date in a header; undefined if invalid. */
function readDate(text: string | undefined): number | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time / 1000
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** Files have no ETag, so only `*` matches. */
const isStar = (match: string) => match.trim() === '*'

/** The status if a conditional header forbids sending, else undefined. (npm's `fresh` lacks 412.) RFC 7232 */
function judgeConditions(headers: IncomingHttpHeaders, modified: Date): 412 | 304 | undefined {
  const match = headers['if-match']
  const unmodified = readDate(headers['if-unmodified-since'])
  const isTooNew = unmodified !== undefined && unmodified < seconds(modified)
  if (match ? !isStar(match) : isTooNew) return 412
  const none = headers['if-none-match']
  if (none) return isStar(none) ? 304 : undefined
  const since = readDate(headers['if-modified-since'])
  return since !== undefined && seconds(modified) <= since ? 304 : undefined
}

/** The Range header; '' if its If-Range condition is not met. Go: net/http, checkIfRange */
function rangeHeader(headers: IncomingHttpHeaders, modified: Date): string {
  const condition = headers['if-range']
  if (condition && readDate(String(condition)) !== seconds(modified)) return ''
  return headers.range ?? ''
}

interface Range {
  readonly start: number
  readonly length: number
}

class RangeFault extends Error {
  override name = 'RangeFault'
  readonly isBeyond: boolean

  constructor(isBeyond: boolean) {
    super(isBeyond ? 'invalid range: failed to overlap' : 'invalid range')
    this.isBeyond = isBeyond
  }
}

/** The range to send; undefined for the whole file. (npm's `range-parser` misreads suffixes.) RFC 9110 */
function readRange(header: string, size: number): Range | undefined {
  if (header === '') return undefined
  if (!header.startsWith('bytes=')) throw new RangeFault(false)
  const specs = header.slice('bytes='.length).split(',')
  const ranges = specs.filter((spec) => spec.trim() !== '').map((spec) => rangeOf(spec.trim(), size))
  const [range] = ranges
  if (ranges.length > 0 && !ranges.some(Boolean)) throw new RangeFault(true)
  return ranges.length === 1 ? range : undefined
}

function rangeOf(spec: string, size: number): Range | undefined {
  const [, from = '', to = ''] = /^(\d*)[\t ]*-[\t ]*(\d*)$/.exec(spec) ?? fail()
  if (from === '') {
    if (to === '') fail()
    const length = Math.min(Number(to), size)
    return { start: size - length, length }
  }
  const start = Number(from)
  if (start >= size) return undefined
  if (to !== '' && Number(to) < start) fail()
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return { start, length: end - start + 1 }
}

function fail(): never {
  throw new RangeFault(false)
}
