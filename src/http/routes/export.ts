import { Hono } from 'hono'
import { notFound } from '../../errors.ts'
import { exportRecords, PAGE_BYTES } from '../../records/read/export.ts'
import { memoryOf } from '../body/memory-of.ts'
import type { Env, Services } from '../context.ts'
import { authOf, bodyOf, buildRequest, meterFor } from '../request-info.ts'
import { storeOf } from '../server/store-of.ts'

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
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(encoder.encode(first.value ?? '')),
      async pull(stream) {
        const { done, value } = await pieces.next()
        if (done) stream.close()
        else stream.enqueue(encoder.encode(value))
      },
      cancel: () => void pieces.return(),
    })
    return c.body(body, 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${collection.name.replace(/\W/g, '_')}.csv"`,
      'cache-control': 'no-store',
    })
  })
