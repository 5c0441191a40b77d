import { Hono } from 'hono'
import type { Collection } from '../../collections/collection.ts'
import { notFound } from '../../errors.ts'
import { StaleAuth } from '../../records/fresh-auth.ts'
import { listRecords } from '../../records/read/list.ts'
import { readingStore } from '../../records/read/reading-store.ts'
import { viewRecord } from '../../records/read/view.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { readWithCatalog } from '../middleware/fresh-catalog.ts'
import { requestInfo } from '../request-info.ts'
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

/** Runs for a collection that is there, as all nodes know it. */
async function read(c: Ctx, services: Services, run: Run): Promise<string> {
  collectionOf(c, services) // before anything of the request is read
  return readWithCatalog(services.store, () => readAs(c, services, run))
}

/** Runs with the sign-in from memory, and again with a fresh one if that turned out to be old. */
async function readAs(c: Ctx, services: Services, run: Run): Promise<string> {
  try {
    return await run(await requestInfo(c, services, { cached: true }))
  } catch (error) {
    if (!(error instanceof StaleAuth)) throw error
    return run(await requestInfo(c, services))
  }
}
