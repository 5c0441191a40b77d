import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
import type { Ctx } from '../request-context.ts'

/** Types that browsers show instead of downloading. PocketBase: inlineServeContentTypes */
const INLINE: ReadonlySet<string> = new Set([
  ...[
    'image/png',
    'image/jpg',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'image/x-icon',
    'image/bmp',
  ],
  ...['video/webm', 'video/mp4', 'video/3gpp', 'video/quicktime', 'video/x-ms-wmv'],
  ...[
    'audio/basic',
    'audio/aiff',
    'audio/mpeg',
    'audio/midi',
    'audio/mp3',
    'audio/wave',
    'audio/wav',
  ],
  ...[
    'audio/x-wav',
    'audio/x-mpeg',
    'audio/x-m4a',
    'audio/aac',
    'application/pdf',
    'application/x-pdf',
  ],
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

export interface SentFile {
  readonly size: number
  readonly type: string
  readonly modified: Date
  readonly caching?: string
  read(start: number, end: number): AsyncGenerator<Buffer>
}

/** Sends a file or a range of it; browsers run no script in it. PocketBase: tools/filesystem, Serve */
export function sendFile(c: Ctx, file: SentFile, name: string): Response {
  const { headers } = c.env.incoming
  const isInline = INLINE.has(file.type) && !TRUE.has(c.env.incoming.query.download ?? '')
  c.header(
    'content-disposition',
    `${isInline ? 'inline' : 'attachment'}; filename=${JSON.stringify(name)}`,
  )
  c.header('content-security-policy', POLICY)
  c.header('cache-control', file.caching ?? CACHING)
  c.header('last-modified', file.modified.toUTCString())
  const refusal = checkConditions(headers, file.modified)
  if (refusal === 304) return c.body(null, 304)
  c.header('content-type', chooseSentType(file, name))
  if (refusal) {
    if (!isHeadRequest(c)) c.header('content-length', '0')
    return c.body(null, refusal)
  }
  try {
    return sendRange(c, file, readRange(readRangeHeader(headers, file.modified), file.size))
  } catch (error) {
    if (!(error instanceof RangeFault)) throw error
    if (error.isBeyond && file.size === 0) return sendRange(c, file)
    return refuseRange(c, file, error)
  }
}

/** The type to send. INLINE types ignore the name: a GIF stored as `a.js` must not become a script. */
const chooseSentType = ({ type }: SentFile, name: string) =>
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
  return isHeadRequest(c)
    ? c.body(null, status)
    : c.body(streamPieces(file.read(start, start + length)), status)
}

/** A stream that reads pieces as fast as the client takes them. An error closes the connection early. */
export const streamPieces = (pieces: AsyncGenerator<Uint8Array>) =>
  ReadableStream.from(pieces) as ReadableStream<Uint8Array<ArrayBuffer>>

const isHeadRequest = (c: Ctx) => c.env.incoming.method === 'HEAD'

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds since 1970 of a date in a header; undefined if invalid. */
function readHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time / 1000
}

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** Files have no ETag, so only `*` matches. */
const isWildcard = (match: string) => match.trim() === '*'

/** The status if a conditional header forbids sending, else undefined. (npm's `fresh` lacks 412.) RFC 7232 */
function checkConditions(headers: IncomingHttpHeaders, modified: Date): 412 | 304 | undefined {
  const match = headers['if-match']
  const unmodified = readHttpDate(headers['if-unmodified-since'])
  const isTooNew = unmodified !== undefined && unmodified < toSeconds(modified)
  if (match ? !isWildcard(match) : isTooNew) return 412
  const none = headers['if-none-match']
  if (none) return isWildcard(none) ? 304 : undefined
  const since = readHttpDate(headers['if-modified-since'])
  return since !== undefined && toSeconds(modified) <= since ? 304 : undefined
}

/** The Range header; '' if its If-Range condition is not met. Go: net/http, checkIfRange */
function readRangeHeader(headers: IncomingHttpHeaders, modified: Date): string {
  const condition = headers['if-range']
  if (condition && readHttpDate(String(condition)) !== toSeconds(modified)) return ''
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
  const ranges = specs
    .filter((spec) => spec.trim() !== '')
    .map((spec) => parseByteRange(spec.trim(), size))
  const [range] = ranges
  if (ranges.length > 0 && !ranges.some(Boolean)) throw new RangeFault(true)
  return ranges.length === 1 ? range : undefined
}

function parseByteRange(spec: string, size: number): Range | undefined {
  const [, from = '', to = ''] = /^(\d*)[\t ]*-[\t ]*(\d*)$/.exec(spec) ?? throwRangeFault()
  if (from === '') {
    if (to === '') throwRangeFault()
    const length = Math.min(Number(to), size)
    return { start: size - length, length }
  }
  const start = Number(from)
  if (start >= size) return undefined
  if (to !== '' && Number(to) < start) throwRangeFault()
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return { start, length: end - start + 1 }
}

function throwRangeFault(): never {
  throw new RangeFault(false)
}
