import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { toTableName } from '../../engine/collections/sql-names.ts'
import { toScalarText, toText } from '../../engine/fields/convert-values.ts'
import type { Uploads } from '../../engine/files/upload.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { writeRecord } from '../../engine/records/create-or-update.ts'
import { pickFields } from '../../engine/records/pick.ts'
import type { WriteOptions } from '../../engine/records/write-in-progress.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { parseQueryForm } from '../body/urlencoded.ts'
import { readQuery } from '../query.ts'
import type { Services } from '../request-context.ts'
import { requireWritableCollection } from '../require-collection.ts'
import type { BatchRequest } from './batch-request.ts'

export interface Part {
  readonly store: Store
  readonly extensions: Extensions
  readonly asked: BatchRequest
  readonly outer: RequestInfo
  readonly options: WriteOptions & { readonly uploads: Uploads }
  readonly alsoFor: (
    request: RequestInfo,
    collection: Collection,
  ) => WriteOptions['inSameTransaction']
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

const isInvalidUrl = (url: string) =>
  /%(?![\da-f]{2})/i.test(url.split('?')[0]!) || /[^\P{Cc}\x80-\x9f]/u.test(url)

interface Action {
  readonly method: string
  readonly name: string
  readonly id: string
}

/** Reads method and URL of a batch's request; undefined if a batch may not contain it. */
export function parseBatchAction({ method, url }: BatchRequest): Action | undefined {
  if (isInvalidUrl(url)) return undefined
  for (const pattern of ACTIONS) {
    const match = pattern.exec(`${method} ${url}`)
    if (match) return { method, name: match[2]!, id: match[3]! }
  }
  return undefined
}

export function findPartCollection(
  { store }: Services,
  part: BatchRequest,
): Collection | undefined {
  const action = parseBatchAction(part)
  return action && store.catalog.find(action.name)
}

/** Runs one request of a batch, in the batch's transaction. Throws its error, or a PartFault. */
export async function runPart(part: Part): Promise<PartAnswer> {
  const asked = parseBatchAction(part.asked)
  if (!asked) throw new PartFault()
  const { store, extensions, alsoFor } = part
  const { method, name, id } = asked.method === 'PUT' ? await chooseUpsert(part, asked) : asked
  const collection = requireWritableCollection(store.catalog, name)
  const request = makePartRequest(part, method)
  const options = { ...part.options, inSameTransaction: alsoFor(request, collection) }
  const text = await writeRecord(store, extensions, collection, id, request, options)
  if (method === 'DELETE') return { body: text, status: 204 }
  return { body: pickPartFields(text, request.query), status: 200 }
}

function pickPartFields(text: string, { fields }: RequestInfo['query']): string {
  try {
    return fields ? pickFields(text, fields) : text
  } catch {
    throw new PartFault()
  }
}

async function chooseUpsert({ store, asked }: Part, { name }: Action): Promise<Action> {
  const id = toText(asked.body.id)
  const exists = id !== '' && (await isRecordStored(store, name, id))
  return { method: exists ? 'PATCH' : 'POST', name, id }
}

async function isRecordStored(store: Store, name: string, id: string): Promise<boolean> {
  const collection = store.catalog.find(name)
  if (!collection) return false
  const { rows } =
    await sql`select from ${sql.id(toTableName(collection))} where id = ${id}`.execute(store.db)
  return rows.length > 0
}

/** The values of a batch's request. PocketBase reads them as a form, which includes the URL's query. */
export function readPartBody({ url, body }: BatchRequest): Record<string, unknown> {
  try {
    return { ...parseQueryForm(url), ...body }
  } catch {
    return { ...body }
  }
}

/** A request of a batch as API rules see it. Its own Authorization header has no effect. */
function makePartRequest({ asked, outer, options }: Part, method: string): RequestInfo {
  // a file replaces a value under the same key
  const values = Object.entries(asked.body).filter(([key]) => !options.uploads.has(key))
  return {
    context: 'batch',
    method,
    query: readQuery(asked.url),
    body: { ...parseQueryForm(asked.url), ...Object.fromEntries(values) },
    auth: outer.auth,
    meter: outer.meter,
    headers: () => {
      const own = Object.entries(asked.headers).map(
        ([name, value]) =>
          [name.toLowerCase().replaceAll('-', '_'), toScalarText(value) ?? ''] as const,
      )
      const merged = own.filter(([name]) => name !== 'authorization')
      return {
        ...outer.headers(),
        ...Object.fromEntries(merged),
        content_type: 'multipart/form-data',
      }
    },
  }
}
