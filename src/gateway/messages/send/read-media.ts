import { createHash } from 'node:crypto'
import type { Store } from '../../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../../engine/collections/collection.ts'
import { sniffContentType } from '../../../engine/files/sniff-content-type.ts'
import { findStoredFile, loadWholeFile } from '../../../engine/files/stored-files.ts'
import { trimStoredName } from '../../../engine/files/stored-name.ts'
import { readWholeContent, type Upload } from '../../../engine/files/upload.ts'
import type { RequestMemory } from '../../../http/limit-request-memory.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Config } from '../../../platform/config.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { reserveAsArrived, type Share } from '../../../platform/limits/byte-budget.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { fetchFile } from '../../../platform/outgoing/fetch-file.ts'
import { memoize } from '../../../platform/tools/lru.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { type Media, WITH_FILES } from '../../base/message-files.ts'
import { hasMmsLine } from './mms.ts'
import { type GivenFile, type LeaveOut, prepareMedia, preparePictures } from './prepare-media.ts'
import { hashGiven } from './same-send.ts'

/** Maximum bytes of the files of a send before pictures are made smaller. */
const MAX_GIVEN_BYTES = 20 << 20
const FETCH_MS = 15_000

/** Hashes of the uploads of a request, made once. */
const hashUploads = memoize(async (uploads: readonly Upload[]): Promise<string[]> => {
  const hashes: string[] = []
  for (const { content } of uploads) {
    const hash = createHash('sha256')
    for await (const piece of content.pieces(64 << 10)) hash.update(piece)
    hashes.push(hash.digest('base64url'))
  }
  return hashes
})

/** Describes the fields and uploads that a request with an idempotency key must have again when repeated. */
export const listAskedAgain = async (
  key: string | undefined,
  fields: unknown,
  uploads: readonly Upload[],
): Promise<unknown> =>
  key !== undefined && uploads.length > 0 ? [fields, await hashUploads(uploads)] : fields

export interface AskedMedia {
  /** '' for none. */
  readonly subject: string
  /** Addresses, and files of the account's records, as `attachments` of SEND names them. */
  readonly named?: readonly string[]
  readonly uploads?: readonly Upload[]
  readonly given?: readonly GivenFile[]
  /** As in Media. */
  readonly orLink?: boolean
  /** The memory of the request: it counts the prepared files until they are stored. */
  readonly memory: Pick<RequestMemory, 'keep'>
  /** Takes the error of a file that is then left out, as is all but pictures. Absent: errors are thrown. */
  readonly leaveOut?: LeaveOut
}

export type MediaConfig = Pick<Config, 'mmsMaxBytes' | 'webhookAllowPrivate'>

/** Returns a function that reads the files of a request; undefined if it names and uploads none. */
export function makeMediaLoad(
  store: Store,
  user: string,
  config: MediaConfig,
  request: Pick<AskedMedia, 'memory'>,
  asked: Omit<AskedMedia, 'memory'>,
): (() => Promise<Media>) | undefined {
  const { named = [], uploads = [] } = asked
  if (named.length + uploads.length === 0) return undefined
  return () => loadMedia(store, user, config, { ...asked, memory: request.memory })
}

/** Files that were loaded for a request, for repetitions of the request. */
const LOADED = new WeakMap<AskedMedia['memory'], Map<string, Media>>()

/**
 * Reads the files of a send, once for a request. Throws 400 without a line for MMS, and for a file that is
 * missing, too large, or of a type that cannot be sent.
 */
export async function loadMedia(
  store: Store,
  user: string,
  config: MediaConfig,
  asked: AskedMedia,
): Promise<Media> {
  // each answer names the files that were left out
  if (asked.leaveOut) return loadAnew(store, user, config, asked)
  const { subject, named, uploads = [], given = [], orLink, memory } = asked
  const bytes = given.map((file) => [file.name, hashGiven(file.bytes)])
  const key = JSON.stringify([user, subject, named, orLink, bytes, await hashUploads(uploads)])
  const known = LOADED.get(memory) ?? new Map<string, Media>()
  LOADED.set(memory, known)
  const media = known.get(key) ?? (await loadAnew(store, user, config, asked))
  known.set(key, media)
  return media
}

async function loadAnew(
  store: Store,
  user: string,
  config: MediaConfig,
  {
    subject,
    named = [],
    uploads = [],
    given = [],
    orLink = false,
    memory: kept,
    leaveOut,
  }: AskedMedia,
): Promise<Media> {
  // before files are fetched
  if (!orLink && !(await hasMmsLine(store.db, user))) throw gatewayRefusal('mms_not_supported')
  const holder = makeUserHolder(user)
  const memory = admission.memory.open(holder)
  try {
    const uploaded = uploads.reduce((sum, { content }) => sum + content.size, 0)
    if (uploaded > MAX_GIVEN_BYTES) throw makeTotalError()
    await memory.take(uploaded)
    const files = [...given]
    for (const { originalName, content } of uploads)
      files.push({ name: originalName, bytes: await readWholeContent(content) })
    let room = MAX_GIVEN_BYTES - uploaded
    const untilMs = performance.now() + FETCH_MS
    const read = async (name: string) =>
      /^https?:/i.test(name)
        ? fetchNamed(name, room, {
            allowPrivate: config.webhookAllowPrivate,
            untilMs,
            room: reserveAsArrived((more) => memory.take(more)),
          })
        : loadOwnFile(store, user, name, room, memory)
    for (const name of named) {
      const file = await admission.fetchedFiles
        .run(holder, () => read(name))
        .catch(leaveOut ?? rethrow)
      if (!file) continue
      files.push({ ...file, address: name })
      room -= file.bytes.length
    }
    const media = leaveOut
      ? await preparePictures(holder, files, config.mmsMaxBytes, leaveOut)
      : await prepareMedia(holder, subject, files, config.mmsMaxBytes)
    kept.keep(media.files.reduce((sum, { content }) => sum + content.size, 0))
    const marks = files.map(
      ({ address = '', bytes }) => [hashGiven(address), hashGiven(bytes)] as const,
    )
    return { ...media, orLink, given: { subject: hashGiven(subject), files: marks } }
  } finally {
    memory.close()
  }
}

const rethrow = (error: unknown) => {
  throw error
}

const makeTotalError = () =>
  invalidRequest(
    `attachments may have ${MAX_GIVEN_BYTES} bytes together, before they are made smaller`,
  )

async function fetchNamed(
  url: string,
  room: number,
  limits: Parameters<typeof fetchFile>[2],
): Promise<GivenFile> {
  const found = await fetchFile(url, room, limits)
  const fail = (fault: string) =>
    invalidRequest(`attachments: ${url} could not be fetched: ${fault}`)
  if (!found.body) throw fail(found.fault)
  if (await isPage(found.body, found.type)) throw fail('it is a page or XML, no file')
  return { name: nameFromUrl(url), bytes: found.body }
}

/** The types of pages and XML, also of texts that have a type of their own, such as GPX. */
const MARKUP = /^(?:(?:text|application)\/(?:html|xml)|.*\+xml)(?:;|$)/
const BEGINS_AS_MARKUP = /^\s*<[?!a-z]/i

/**
 * Whether an address answered with a page of a website, TwiML or other XML, which a phone would show as its
 * source: such an address was confused with another, or its page says what is wrong. `declared`: its type.
 */
async function isPage(bytes: Buffer, declared: string): Promise<boolean> {
  const { type } = await sniffContentType(bytes)
  if (MARKUP.test(type)) return true
  if (!type.startsWith('text/plain')) return false
  // a text in UTF-16 has a NUL in each letter
  const begin = bytes.toString('latin1', 0, 1000).replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
  return MARKUP.test(declared) || BEGINS_AS_MARKUP.test(begin.replaceAll('\0', ''))
}

const nameFromUrl = (url: string): string => {
  const path = new URL(url).pathname.split('/').at(-1) ?? ''
  return path === '' ? 'file' : path.slice(0, 100)
}

/** Finds a file that is named `ID/NAME`, of a record of the user. */
async function findOwnFile({ db }: Store, user: string, named: string) {
  const [id = '', name = ''] = named.split('/', 2)
  for (const collection of WITH_FILES) {
    const own = await queries(db)
      .selectFrom(collection)
      .select('attachments')
      .where('id', '=', id)
      .where(writeUnindexed('user'), '=', user)
      .executeTakeFirst()
    if (own?.attachments.includes(name)) return findStoredFile(db, { collection, record: id, name })
  }
  return undefined
}

/** Reads a file that is named `ID/NAME`. Throws 400 for one that is not the user's. */
async function loadOwnFile(
  store: Store,
  user: string,
  name: string,
  room: number,
  memory: Share,
): Promise<GivenFile> {
  const stored = await findOwnFile(store, user, name)
  if (!stored)
    throw invalidRequest(
      `attachments: ${name} is neither an http or https address nor ID/NAME of a file of yours`,
    )
  if (stored.size > room) throw makeTotalError()
  await memory.take(stored.size)
  return { name: trimStoredName(stored.name), bytes: await loadWholeFile(store.db, stored) }
}
