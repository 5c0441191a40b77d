import { Hono } from 'hono'
import type { Collection } from '../../collections/collection.ts'
import { notFound } from '../../errors.ts'
import type { RequestInfo } from '../../filter/request.ts'
import { StaleAuth } from '../../records/guard.ts'
import { listRecords } from '../../records/list.ts'
import { viewRecord } from '../../records/view.ts'
import { type Ctx, type Env, requestInfo, type Services, sendJson, sendRaw } from '../context.ts'

/** `/api/collections/…/records`: lists and single records. */
export const recordRoutes = (services: Services) => {
  const { store, extensions } = services
  return new Hono<Env>()
    .get('/:collection/records', async (c) => {
      const collection = collectionOf(c, services)
      return sendRaw(
        c,
        await read(c, services, (request) => listRecords(store, extensions, collection, request)),
      )
    })
    .get('/:collection/records/:id', async (c) => {
      const collection = collectionOf(c, services)
      const id = c.req.param('id')
      return sendJson(
        c,
        await read(c, services, (request) => viewRecord(store, extensions, collection, id, request)),
      )
    })
}

function collectionOf(c: Ctx, { store }: Services): Collection {
  const collection = store.catalog.find(c.req.param('collection')!)
  if (!collection) throw notFound('Missing collection context')
  return collection
}

/** Runs with the sign-in from memory, and again with a fresh one if that turned out to be old. */
async function read(
  c: Ctx,
  services: Services,
  run: (request: RequestInfo) => Promise<string>,
): Promise<string> {
  try {
    return await run(await requestInfo(c, services, { cached: true }))
  } catch (error) {
    if (!(error instanceof StaleAuth)) throw error
    return run(await requestInfo(c, services))
  }
}
