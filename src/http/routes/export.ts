import { Hono } from 'hono'
import { notFound } from '../../errors.ts'
import { exportRecords } from '../../records/export.ts'
import { type Env, requestInfo, type Services } from '../context.ts'

/**
 * `/api/collections/…/export`: the records that a filter finds, as CSV, sent while they are read. An end that is not the
 * real one breaks the connection, so that no client takes a part for the whole.
 */
export const exportRoutes = (services: Services) =>
  new Hono<Env>().get('/:collection/export', async (c) => {
    const { store, extensions } = services
    const collection = store.catalog.find(c.req.param('collection'))
    if (!collection) throw notFound('Missing collection context')
    const pieces = exportRecords(store, extensions, collection, () => requestInfo(c, services))
    // what is wrong with the request shows before the first piece
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
