import { Hono } from 'hono'
import type { Collection, Store } from '../../collections/catalog.ts'
import { maxBodyBytes } from '../../fields/field-types.ts'
import { exportRecords, PAGE_BYTES } from '../../records/export.ts'
import { listRecords, viewRecord } from '../../records/list.ts'
import { PasswordMemory } from '../../records/password-work.ts'
import { writeRecord } from '../../records/write.ts'
import type { RequestInfo } from '../../request/request.ts'
import { memoize } from '../../tools/lru.ts'
import { bodyOf, MAX_BODY_BYTES } from '../body/body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditWrite } from '../middleware/audit.ts'
import { limitOldPasswordChecks, passwordWork } from '../middleware/passwords.ts'
import {
  asCaller,
  authOf,
  buildRequest,
  collectionOf,
  meterFor,
  sendJson,
  sendRaw,
  writableCollection,
} from '../request-info.ts'
import type { Attempt } from '../retry.ts'
import { memoryOf, storeOf } from '../server/store-of.ts'
import { streamOf } from './sent-file.ts'

/** `/api/collections/…/records`, and `…/export` for CSV. PocketBase: apis/record_crud.go */
export const recordRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/:collection/records', async (c) => sendRaw(c, await read(c, services, listRecords)))
    .get('/:collection/records/:id', async (c) => sendJson(c, await read(c, services, viewRecord)))
    .get('/:collection/export', (c) => sendExport(c, services, c.req.param('collection')))
    .post('/:collection/records', async (c) => sendJson(c, await write(c, services, 'POST')))
    .patch('/:collection/records/:id', async (c) => sendJson(c, await write(c, services, 'PATCH')))
    .delete('/:collection/records/:id', async (c) => {
      await write(c, services, 'DELETE')
      return c.body(null, 204)
    })

/** Reads for the cached caller. Repeats with the caller from the database if the caller has changed. */
async function read(c: Ctx, services: Services, run: typeof viewRecord): Promise<string> {
  const { store, extensions } = services
  const collection = c.req.param('collection') ?? ''
  const id = c.req.param('id') ?? ''
  collectionOf(store.catalog, collection) // throws 404 before the body is read
  const work = async (request: RequestInfo) => {
    const { db, catalog } = storeOf(c, services, request.auth)
    // read from a replica if it has all earlier commits; the collections always come from the primary
    const inside = { db: db.replica ? await db.forReading() : db, catalog }
    return run(inside, extensions, collectionOf(catalog, collection), request, id)
  }
  // reads the body, too: as in PocketBase, a GET with a broken body gets 400
  return asCaller(c, services, work, { isRead: true })
}

async function sendExport(c: Ctx, services: Services, name: string): Promise<Response> {
  collectionOf(services.store.catalog, name)
  const { values } = await bodyOf(c)
  const auth = await authOf(c, services)
  const store = storeOf(c, services, auth)
  const collection = collectionOf(store.catalog, name)
  const request = async () => {
    const caller = await authOf(c, services)
    return buildRequest(c, caller, values, 'default', meterFor(c, caller))
  }
  c.set('asker', auth)
  memoryOf(c).hold(PAGE_BYTES)
  const pieces = exportRecords(store, services.extensions, collection, request)
  // get the first piece before the answer begins: until then, an error can still set the status
  const first = await pieces.next()
  async function* encoded() {
    yield Buffer.from(first.value ?? '')
    for await (const piece of pieces) yield Buffer.from(piece)
  }
  return c.body(streamOf(encoded()), 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${collection.name.replace(/\W/g, '_')}.csv"`,
    'cache-control': 'no-store',
  })
}

/** Writes a record. Reads the body once; each attempt looks up the caller and the collection anew. */
async function write(c: Ctx, services: Services, method: 'POST' | 'PATCH' | 'DELETE'): Promise<string> {
  const { store, extensions } = services
  const missing = method === 'DELETE' ? undefined : 'Missing or invalid collection context'
  const find = ({ catalog }: Pick<Store, 'catalog'>) =>
    writableCollection(catalog, c.req.param('collection')!, missing)
  const known = find(store) // check this before the body is read
  const { values, files: uploads } = await bodyOf(c, method === 'DELETE' ? MAX_BODY_BYTES : bodyLimit(known))
  // the answer may contain a secret that is shown once
  if (method !== 'DELETE' && extensions.get(known.id)?.beforeCreate) c.header('cache-control', 'no-store')
  let memory: PasswordMemory | undefined
  const work = (request: RequestInfo, how: Attempt) => {
    const { auth } = request
    const inside = storeOf(c, services, auth)
    const collection = find(inside)
    const inSameTransaction = auditWrite(c, services, request, collection, uploads.keys())
    const { maxAccountFileBytes: maxFileBytes } = services.config
    const ofPasswords = () => {
      memory ??= new PasswordMemory()
      return memory.over(passwordWork(c, services, auth), how.locksRecord)
    }
    const options = { ...how, uploads, maxFileBytes, passwordWork: ofPasswords, inSameTransaction }
    return writeRecord(inside, extensions, collection, c.req.param('id') ?? '', request, options)
  }
  const run = () => asCaller(c, services, work, { values })
  const mayTestPassword = method === 'PATCH' && known.type === 'auth'
  return mayTestPassword ? limitOldPasswordChecks(c, services, [values], run) : run()
}

/** Maximum bytes of a body that writes a record: the general limit plus that of each field. Contract 8.2 */
const bodyLimit = memoize(({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + maxBodyBytes(field), MAX_BODY_BYTES),
)
