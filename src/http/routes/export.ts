import { Hono } from 'hono'
import { admission } from '../../admission/admission.ts'
import { notFound } from '../../errors.ts'
import { exportRecords, PAGE_BYTES } from '../../records/read/export.ts'
import { cutWhenStalled } from '../body/large-answer.ts'
import type { Env, Services } from '../context.ts'
import { requestInfo } from '../request-info.ts'
import { holderOf } from '../server/holder.ts'

/** `/api/collections/…/export`: records as a CSV stream. A failure breaks the connection. */
export const exportRoutes = (services: Services) =>
  new Hono<Env>().get('/:collection/export', async (c) => {
    const { store, extensions } = services
    const collection = store.catalog.find(c.req.param('collection'))
    if (!collection) throw notFound('Missing collection context')
    const { auth } = await requestInfo(c, services, { cached: true })
    const { incoming, outgoing } = c.env
    const share = admission.memory.open(holderOf(incoming, services, auth))
    share.takeNow(PAGE_BYTES)
    outgoing.once('close', () => share.close())
    const pieces = exportRecords(store, extensions, collection, () => requestInfo(c, services))
    // what is wrong with the request shows before the first piece
    const first = await pieces.next()
    cutWhenStalled(c)
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
