import { findAuthRecord } from '../../auth/auth-rows.ts'
import {
  type AuthCollection,
  type Collection,
  quote,
  type Store,
  tableName,
} from '../../collections/catalog.ts'
import { checkFields, each, fields, notLonger, oneOf, required } from '../../collections/checks.ts'
import { badRequest } from '../../errors.ts'
import { MAX_PASSWORD_BYTES } from '../../fields/bcrypt.ts'
import { scalarText, toText } from '../../fields/cast.ts'
import { list, map, object, ShapeError, text, type ValueOf } from '../../fields/shape.ts'
import { passwordError } from '../../fields/text.ts'
import type { Uploads } from '../../files/upload.ts'
import type { Extensions } from '../../records/extension.ts'
import { OWN_WORK, type PasswordMemory, type PasswordWork } from '../../records/password-work.ts'
import { pickFields } from '../../records/pick.ts'
import { prepare } from '../../records/prepare.ts'
import { writeRecord } from '../../records/write.ts'
import type { WriteOptions } from '../../records/write-in-progress.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { formOfQuery } from '../body/body.ts'
import { type Ctx, type RequestBody, readQuery, type Services } from '../context.ts'
import { passwordWork } from '../middleware/passwords.ts'
import { writableCollection } from '../request-info.ts'
import { storeOf } from '../server/store-of.ts'

export interface Part {
  readonly store: Store
  readonly extensions: Extensions
  readonly asked: BatchRequest
  readonly outer: RequestInfo
  readonly options: WriteOptions & { readonly uploads: Uploads }
  readonly alsoFor: (request: RequestInfo, collection: Collection) => WriteOptions['inSameTransaction']
}

export interface PartAnswer {
  readonly body: string
  readonly status: number
}

/** A request of a batch failed without a message. As in PocketBase: 400 if it is the first one, else 500. */
export class PartFault extends Error {
  override name = 'PartFault'
}

const RECORDS = '/api/collections/([^/?]+)/records'

/** The writes that a batch may contain: method and URL. PocketBase: apis/batch.go, ValidBatchActions */
const ACTIONS = [`(PUT|POST) ${RECORDS}()`, `(PATCH|DELETE) ${RECORDS}/([^/?]+)`].map(
  (action) => new RegExp(`^${action}(?:\\?.*)?$`),
)

const isNoUrl = (url: string) =>
  /%(?![\da-f]{2})/i.test(url.split('?')[0]!) || /[^\P{Cc}\x80-\x9f]/u.test(url)

interface Action {
  readonly method: string
  readonly name: string
  readonly id: string
}

/** Reads method and URL of a batch's request; undefined if a batch may not contain it. */
function actionOf({ method, url }: BatchRequest): Action | undefined {
  if (isNoUrl(url)) return undefined
  for (const pattern of ACTIONS) {
    const match = pattern.exec(`${method} ${url}`)
    if (match) return { method, name: match[2]!, id: match[3]! }
  }
  return undefined
}

export function collectionOfPart({ store }: Services, part: BatchRequest): Collection | undefined {
  const action = actionOf(part)
  return action && store.catalog.find(action.name)
}

/** Runs one request of a batch, in the batch's transaction. Throws its error, or a PartFault. */
export async function runPart(part: Part): Promise<PartAnswer> {
  const asked = actionOf(part.asked)
  if (!asked) throw new PartFault()
  const { store, extensions, alsoFor } = part
  const { method, name, id } = asked.method === 'PUT' ? await upsert(part, asked) : asked
  const collection = writableCollection(store.catalog, name)
  const request = requestOf(part, method)
  const options = { ...part.options, inSameTransaction: alsoFor(request, collection) }
  const text = await writeRecord(store, extensions, collection, id, request, options)
  if (method === 'DELETE') return { body: text, status: 204 }
  return { body: picked(text, request.query), status: 200 }
}

function picked(text: string, { fields }: RequestInfo['query']): string {
  try {
    return fields ? pickFields(text, fields) : text
  } catch {
    throw new PartFault()
  }
}

async function upsert({ store, asked }: Part, { name }: Action): Promise<Action> {
  const id = toText(asked.body.id)
  const exists = id !== '' && (await isStored(store, name, id))
  return { method: exists ? 'PATCH' : 'POST', name, id }
}

async function isStored(store: Store, name: string, id: string): Promise<boolean> {
  const collection = store.catalog.find(name)
  if (!collection) return false
  const { rows } = await store.db.query(`select 1 from ${quote(tableName(collection))} where id = $1`, [id])
  return rows.length > 0
}

/** The values of a batch's request. PocketBase reads them as a form, which includes the URL's query. */
export function bodyOfPart({ url, body }: BatchRequest): Record<string, unknown> {
  try {
    return { ...formOfQuery(url), ...body }
  } catch {
    return { ...body }
  }
}

/** A request of a batch as API rules see it. Its own Authorization header has no effect. */
function requestOf({ asked, outer, options }: Part, method: string): RequestInfo {
  // a file replaces a value under the same key
  const values = Object.entries(asked.body).filter(([key]) => !options.uploads.has(key))
  return {
    context: 'batch',
    method,
    query: readQuery(asked.url),
    body: { ...formOfQuery(asked.url), ...Object.fromEntries(values) },
    auth: outer.auth,
    meter: outer.meter,
    headers: () => {
      const own = Object.entries(asked.headers).map(
        ([name, value]) => [name.toLowerCase().replaceAll('-', '_'), scalarText(value) ?? ''] as const,
      )
      const merged = own.filter(([name]) => name !== 'authorization')
      return { ...outer.headers(), ...Object.fromEntries(merged), content_type: 'multipart/form-data' }
    },
  }
}

export type BatchRequest = ValueOf<typeof ONE>
const ONE = object({ method: text, url: text, headers: map, body: map })
const SHAPE = object({ requests: list(ONE) })

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const MAX_URL_BYTES = 2000
const REQUEST = fields({
  method: [required, oneOf(METHODS)],
  url: [required, notLonger(MAX_URL_BYTES)],
})

export const UNREADABLE = 'Failed to read the submitted batch data.'

/** Reads the requests of a batch, at most `max`. Throws 400. */
export function readBatch(body: RequestBody, max: number): BatchRequest[] {
  const requests = decode(body)
  const checks = { requests: [required, notLonger(max), each(REQUEST)] }
  checkFields({ requests }, checks, 'Invalid batch request data.')
  return requests
}

function decode({ values, isJson }: RequestBody): BatchRequest[] {
  try {
    const { requests } = SHAPE.over(values, SHAPE.zero(), isJson)
    return requests.map((request) => ({ ...request, headers: readHeaders(request.headers) }))
  } catch (error) {
    throw error instanceof ShapeError ? badRequest(UNREADABLE) : error
  }
}

function readHeaders(headers: BatchRequest['headers']): BatchRequest['headers'] {
  const values = Object.entries(headers).map(([name, value]) => [name, value ?? ''] as const)
  if (values.some(([, value]) => typeof value !== 'string')) throw badRequest(UNREADABLE)
  return Object.fromEntries(values)
}

/** Maximum old passwords in one batch. A user needs one to change the password. */
const MAX_OLD_PASSWORDS = 3

interface Write {
  readonly method: string
  readonly collection: AuthCollection
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
  readonly auth: AuthRecord | null
}

/** Hashes and compares a batch's passwords before its transaction: each takes 57 ms. Throws 400, 429. */
export async function batchPasswords(
  c: Ctx,
  services: Services,
  auth: AuthRecord | null,
  requests: readonly BatchRequest[],
  memories: readonly PasswordMemory[],
): Promise<PasswordWork[]> {
  const writes = requests.map((asked) => writeOf(services, auth, asked))
  const olds = writes.filter((write) => write && toText(write.body.oldPassword) !== '')
  if (olds.length > MAX_OLD_PASSWORDS && !auth?.isSuperuser)
    throw badRequest(`A batch may change at most ${MAX_OLD_PASSWORDS} passwords.`)
  const work = passwordWork(c, services, auth)
  for (const [i, write] of writes.entries())
    if (write) await workAhead(storeOf(c, services, auth), write, memories[i]!.over(work))
  return writes.map((write, i) => (write ? memories[i]!.over(work, true) : OWN_WORK))
}

function writeOf(services: Services, auth: AuthRecord | null, asked: BatchRequest): Write | undefined {
  const { method } = asked
  const collection = collectionOfPart(services, asked)
  if (collection?.type !== 'auth' || method === 'DELETE') return undefined
  const body = bodyOfPart(asked)
  return { method, collection, id: actionOf(asked)?.id || toText(body.id), body, auth }
}

async function workAhead(store: Store, write: Write, work: PasswordWork): Promise<void> {
  const { method, collection, body, auth } = write
  const isSuperuser = auth?.isSuperuser === true
  const rule = { POST: collection.createRule, PATCH: collection.updateRule }[method]
  if (!isSuperuser && rule === null) return
  const { passwords } = prepare(collection, body, { isSuperuser })
  for (const field of collection.fields) {
    const plain = field.type === 'password' ? passwords[field.name] : ''
    if (field.type !== 'password' || !plain || Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) continue
    if (field.name === 'password' && toText(body.passwordConfirm) !== plain) continue
    if (!passwordError(field, plain)) await work.hash(plain, field.cost)
  }
  await compareAhead(store, write, work)
}

async function compareAhead(store: Store, write: Write, work: PasswordWork): Promise<void> {
  const { collection, id, body } = write
  const old = toText(body.oldPassword)
  if (old === '' || id === '') return
  const record = await findAuthRecord(store, collection, id)
  if (record) await work.verify(old, String(record.values.password))
}
