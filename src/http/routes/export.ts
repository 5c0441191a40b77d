import { Hono } from 'hono'
import { notFound, RetryLater } from '../../errors.ts'
import { exportRecords } from '../../records/read/export.ts'
import type { AuthRecord } from '../../request/request.ts'
import { KeyedCounter } from '../../tools/keyed-counter.ts'
import { cutWhenStalled } from '../body/large-answer.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { requestInfo } from '../request-info.ts'
import { holderOf } from '../server/holder.ts'

/** Exports that an account, or an address of guests, may run at a time. */
const MAX_EXPORTS = 2
const RETRY_SECONDS = 30
const running = new WeakMap<Services, KeyedCounter>()

/** `/api/collections/…/export`: records as a CSV stream. A failure breaks the connection. */
export const exportRoutes = (services: Services) =>
  new Hono<Env>().get('/:collection/export', async (c) => {
    const { store, extensions } = services
    const collection = store.catalog.find(c.req.param('collection'))
    if (!collection) throw notFound('Missing collection context')
    const asked = await requestInfo(c, services, { cached: true })
    holdExport(c, services, asked.auth)
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

/** Counts an export until its answer ends. Throws 429 where there are too many of this account or address. */
function holdExport(c: Ctx, services: Services, auth: AuthRecord | null): void {
  const { incoming, outgoing } = c.env
  if (outgoing.closed) return
  const holdings = running.get(services) ?? new KeyedCounter()
  running.set(services, holdings)
  const leave = holdings.take(holderOf(incoming, services, auth), MAX_EXPORTS)
  if (!leave)
    throw new RetryLater(429, RETRY_SECONDS, `Only ${MAX_EXPORTS} exports of an account may run at a time`)
  outgoing.once('close', leave)
}
