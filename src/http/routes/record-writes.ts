import { Hono } from 'hono'
import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { maxBodyBytes } from '../../fields/types/max-bytes.ts'
import { PasswordMemory } from '../../records/auth/passwords.ts'
import type { WriteOptions } from '../../records/input/write-options.ts'
import { deleteRecord } from '../../records/write/delete.ts'
import { createRecord, updateRecord } from '../../records/write/write.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { MAX_BODY_BYTES } from '../body/body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditWrite } from '../middleware/audit.ts'
import { limitOldPasswordChecks } from '../middleware/old-password.ts'
import { passwordWork } from '../middleware/password-work.ts'
import { type Attempt, retry } from '../middleware/retry.ts'
import { writableCollection } from '../records/writable-collection.ts'
import { authenticate, bodyOf, requestOf } from '../request-info.ts'
import { sendJson } from '../send-json.ts'

const MISSING = 'Missing or invalid collection context'

/** `/api/collections/…/records`: create, update and delete. PocketBase: apis/record_crud.go */
export const recordWriteRoutes = (services: Services) => {
  const { store, extensions } = services
  return new Hono<Env>()
    .post('/:collection/records', async (c) => {
      const find = () => writableCollection(store.catalog, c.req.param('collection'), MISSING)
      const collection = find()
      await bodyOf(c, bodyLimit(collection))
      // a hook may show a secret, once
      if (extensions.get(collection.id)?.beforeCreate) c.header('cache-control', 'no-store')
      const create: Run<string> = (inside, collection, request, options) =>
        createRecord(inside, extensions, collection, request, options)
      return sendJson(c, await write(c, services, find, create))
    })
    .patch('/:collection/records/:id', async (c) => {
      const find = () => writableCollection(store.catalog, c.req.param('collection'), MISSING)
      const collection = find()
      const { values } = await bodyOf(c, bodyLimit(collection))
      const update: Run<string> = (inside, collection, request, options) =>
        updateRecord(inside, extensions, collection, c.req.param('id'), request, options)
      const save = () => write(c, services, find, update)
      if (collection.type !== 'auth') return sendJson(c, await save())
      return sendJson(c, await limitOldPasswordChecks(c, services, [values], save))
    })
    .delete('/:collection/records/:id', async (c) => {
      const find = () => writableCollection(store.catalog, c.req.param('collection'))
      find() // before anything of the request is read
      await write(c, services, find, (inside, collection, request, options) =>
        deleteRecord(inside, extensions, collection, c.req.param('id'), request, options),
      )
      return c.body(null, 204)
    })
}

/** What a body may have: the limit of all routes and what the fields can take beyond it. Contract 8.2 */
const bodyLimit = ({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + maxBodyBytes(field), MAX_BODY_BYTES)

type Run<T> = (
  inside: Store,
  collection: Collection,
  request: RequestInfo,
  options: WriteOptions,
) => Promise<T>

/** Runs a write for the caller and the collection as they are at each attempt. Reads the body once. */
async function write<T>(c: Ctx, services: Services, find: () => Collection, run: Run<T>): Promise<T> {
  const { values, files: uploads } = await bodyOf(c)
  const memory = new PasswordMemory()
  const identify = (isCached: boolean) => authenticate(c, services, isCached)
  const once = (auth: AuthRecord | null, attempt: Attempt) => {
    const collection = find()
    const request = requestOf(c, services, auth, values)
    const options: WriteOptions = {
      ...attempt,
      uploads,
      passwordWork: memory.over(passwordWork(c, services, auth), attempt.locksRecord),
      inSameTransaction: auditWrite(c, services, request, collection, uploads.keys()),
    }
    return run(services.store, collection, request, options)
  }
  return retry(services.store, identify, once, { startsCached: true })
}
