import { Hono } from 'hono'
import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { ApiError } from '../../errors.ts'
import { maxBodyBytes } from '../../fields/types/max-bytes.ts'
import { checkAuthFresh, StaleAuth } from '../../records/fresh-auth.ts'
import type { WriteOptions } from '../../records/input/write-options.ts'
import { createRecord } from '../../records/write/create.ts'
import { deleteRecord } from '../../records/write/delete.ts'
import { updateRecord } from '../../records/write/update.ts'
import type { RequestInfo } from '../../request/request.ts'
import { MAX_BODY_BYTES } from '../body/body.ts'
import { withRoom } from '../body/large-answer.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditWrite } from '../middleware/audit.ts'
import { retryWithFreshAuth } from '../middleware/auth-retry.ts'
import { withCatalog } from '../middleware/fresh-catalog.ts'
import { changesPassword, limitOldPasswordChecks } from '../middleware/old-password.ts'
import { passwordWork } from '../middleware/password-work.ts'
import { writableCollection } from '../records/writable-collection.ts'
import { authOf, bodyOf, requestInfo } from '../request-info.ts'
import { sendJson } from '../send-json.ts'

const MISSING = 'Missing or invalid collection context'

/** `/api/collections/…/records`: create, update and delete. PocketBase: apis/record_crud.go */
export const recordWriteRoutes = (services: Services) => {
  const { store, extensions } = services
  return new Hono<Env>()
    .post('/:collection/records', (c) =>
      withCatalog(store, async () => {
        const collection = writableCollection(store.catalog, c.req.param('collection'), MISSING)
        const { files } = await bodyOf(c, bodyLimit(collection))
        const create: Run<string> = (store, request, options) =>
          createRecord(store, extensions, collection, request, { ...options, uploads: files })
        // a hook may show a secret, once
        if (extensions.get(collection.id)?.beforeCreate) c.header('cache-control', 'no-store')
        return sendJson(c, await write(c, services, collection, create))
      }),
    )
    .patch('/:collection/records/:id', (c) =>
      withCatalog(store, async () => {
        const collection = writableCollection(store.catalog, c.req.param('collection'), MISSING)
        const { files } = await bodyOf(c, bodyLimit(collection))
        const id = c.req.param('id')
        const update: Run<string> = (store, request, options) =>
          updateRecord(store, extensions, collection, id, request, { ...options, uploads: files })
        const { values } = await bodyOf(c)
        const save = () => write(c, services, collection, update)
        if (collection.type !== 'auth' || !changesPassword(values)) return sendJson(c, await save())
        const auth = await authOf(c, services)
        return sendJson(c, await limitOldPasswordChecks(c, services, auth, [values], save))
      }),
    )
    .delete('/:collection/records/:id', (c) =>
      withCatalog(store, async () => {
        const collection = writableCollection(store.catalog, c.req.param('collection'))
        const id = c.req.param('id')
        await write(c, services, collection, (store, request, options) =>
          deleteRecord(store, extensions, collection, id, request, options),
        )
        return c.body(null, 204)
      }),
    )
}

/** What a body may have: the limit of all routes and what the fields can take beyond it. Contract 8.2 */
const bodyLimit = ({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + maxBodyBytes(field), MAX_BODY_BYTES)

type Run<T> = (store: Store, request: RequestInfo, options: WriteOptions) => Promise<T>

/**
 * What is expanded in the answer may be too much, or have to wait for room: then nothing is written. So a
 * write that expands is a transaction with its answer.
 */
function runWhole<T>(
  { store }: Services,
  run: Run<T>,
  request: RequestInfo,
  options: WriteOptions,
): Promise<T> {
  if (!request.query.expand) return run(store, request, options)
  return store.db.transaction((db) => run({ db, catalog: store.catalog }, request, options))
}

/**
 * Runs a write with the sign-in from memory, which the writing statement itself proves to be true still;
 * again with a fresh one if it was not. A refusal counts only if the sign-in was true.
 */
async function write<T>(c: Ctx, services: Services, collection: Collection, run: Run<T>): Promise<T> {
  return withRoom(() => writeOnce(c, services, collection, run))
}

async function writeOnce<T>(c: Ctx, services: Services, collection: Collection, run: Run<T>): Promise<T> {
  const request = await requestInfo(c, services, { cached: true })
  const { files } = await bodyOf(c)
  const also = (request: RequestInfo) => auditWrite(c, services, request, collection, files.keys())
  try {
    const work = passwordWork(c, services, request.auth)
    const options: WriteOptions = { isAuthCached: true, passwordWork: work, inSameTransaction: also(request) }
    return await runWhole(services, run, request, options).catch((error) => doubt(services, request, error))
  } catch (error) {
    if (!(error instanceof StaleAuth)) throw error
    return retryWithFreshAuth(
      () => requestInfo(c, services),
      (fresh) => {
        const work = passwordWork(c, services, fresh.auth)
        return runWhole(services, run, fresh, {
          locksAuth: true,
          passwordWork: work,
          inSameTransaction: also(fresh),
        })
      },
    )
  }
}

async function doubt({ store }: Services, { auth }: RequestInfo, error: unknown): Promise<never> {
  if (error instanceof ApiError && !(error instanceof DatabaseUnavailable)) await checkAuthFresh(store, auth)
  throw error
}
