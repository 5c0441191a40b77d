import { Hono } from 'hono'
import { notFound } from '../../errors.ts'
import { exportRecords, PAGE_BYTES } from '../../records/read/export.ts'
import type { Env, Services } from '../context.ts'
import { streamOf } from '../files/send-file.ts'
import { authOf, bodyOf, buildRequest, meterFor } from '../request-info.ts'
import { memoryOf, storeOf } from '../server/store-of.ts'

/** `/api/collections/…/export`: records as CSV. A failure after the first piece ends the connection. */
export const exportRoutes = (services: Services) =>
  new Hono<Env>().get('/:collection/export', async (c) => {
    const name = c.req.param('collection')
    if (!services.store.catalog.find(name)) throw notFound('Missing collection context')
    const { values } = await bodyOf(c)
    const auth = await authOf(c, services)
    const store = storeOf(c, services, auth)
    const collection = store.catalog.find(name)
    if (!collection) throw notFound('Missing collection context')
    const request = async () => {
      const caller = await authOf(c, services)
      return buildRequest(c, caller, values, 'default', meterFor(c, caller))
    }
    c.set('asker', auth)
    memoryOf(c).hold(PAGE_BYTES)
    const pieces = exportRecords(store, services.extensions, collection, request)
    // errors of the request are thrown before the first piece
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
  })
