import { Hono } from 'hono'
import type { Collection } from '../../collections/collection.ts'
import { notFound } from '../../errors.ts'
import { listRecords } from '../../records/read/list.ts'
import { readingStore } from '../../records/read/reading-store.ts'
import { viewRecord } from '../../records/read/view.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { authenticate, bodyOf, requestOf } from '../request-info.ts'
import { retry } from '../retry.ts'
import { sendJson, sendRaw } from '../send-json.ts'

/** `/api/collections/…/records`: lists and single records. */
export const recordRoutes = (services: Services) => {
  const { store, extensions } = services
  return new Hono<Env>()
    .get('/:collection/records', async (c) => {
      const list = async (request: RequestInfo) =>
        listRecords(await readingStore(store), extensions, collectionOf(c, services), request)
      return sendRaw(c, await read(c, services, list))
    })
    .get('/:collection/records/:id', async (c) => {
      const view = async (request: RequestInfo) =>
        viewRecord(
          await readingStore(store),
          extensions,
          collectionOf(c, services),
          c.req.param('id'),
          request,
        )
      return sendJson(c, await read(c, services, view))
    })
}

function collectionOf(c: Ctx, { store }: Services): Collection {
  const collection = store.catalog.find(c.req.param('collection')!)
  if (!collection) throw notFound('Missing collection context')
  return collection
}

type Run = (request: RequestInfo) => Promise<string>

/** Reads as the cached caller, or as the caller read again if that record has changed. */
async function read(c: Ctx, services: Services, run: Run): Promise<string> {
  collectionOf(c, services) // before anything of the request is read
  const { values } = await bodyOf(c) // as PocketBase: a GET with a broken body is a 400
  return retry(
    services.store,
    (isCached) => authenticate(c, services, isCached),
    (auth) => run(requestOf(c, services, auth, values)),
    { startsCached: true, isRead: true },
  )
}
