import { Hono } from 'hono'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { notFound } from '../../errors.ts'
import { listRecords } from '../../records/read/list.ts'
import { readingStore } from '../../records/read/reading-store.ts'
import { viewRecord } from '../../records/read/view.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { authenticate, bodyOf, requestOf } from '../request-info.ts'
import { retry } from '../retry.ts'
import { sendJson, sendRaw } from '../send-json.ts'

/** `/api/collections/…/records`: lists and single records. */
export const recordRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/:collection/records', async (c) => sendRaw(c, await read(c, services, listRecords)))
    .get('/:collection/records/:id', async (c) => sendJson(c, await read(c, services, viewRecord)))

/** Reads as the cached caller, or as the caller read again if that record has changed. */
async function read(c: Ctx, services: Services, run: typeof viewRecord): Promise<string> {
  const { store, extensions } = services
  const { collection, id = '' } = c.req.param() as { collection: string; id?: string }
  collectionOf(store.catalog, collection) // before anything of the request is read
  const { values } = await bodyOf(c) // as PocketBase: a GET with a broken body is a 400
  const attempt = async (auth: AuthRecord | null) => {
    const request = requestOf(c, services, auth, values)
    return run(await readingStore(store), extensions, collectionOf(store.catalog, collection), request, id)
  }
  const identify = (isCached: boolean) => authenticate(c, services, isCached)
  return retry(store, identify, attempt, { startsCached: true, isRead: true })
}

function collectionOf(catalog: Catalog, name: string): Collection {
  const collection = catalog.find(name)
  if (!collection) throw notFound('Missing collection context')
  return collection
}
