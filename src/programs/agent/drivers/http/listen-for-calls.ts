import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { UserError } from '../../../../platform/api-errors.ts'
import { writeMmsText } from '../../../../portable/attachment-lines.ts'
import type { DriverEvents } from '../../driver-interface.ts'
import { openFileMap } from '../../persistent-map.ts'
import type { Carrier } from './carrier-account.ts'
import { MAX_CALL_BYTES, readCall } from './read-call.ts'

const MAX_SEEN = 100_000
const REQUEST_MS = 15_000

/** Listens for a carrier's calls. `file`: remembers received texts, to recognize repeated ones. */
export async function listenForCalls(
  carrier: Carrier,
  { host, port }: { readonly host: string; readonly port: number },
  file: string,
  events: DriverEvents,
) {
  /** When each text arrived first, by its key. The server recognizes a text by this time. */
  const seen = openFileMap<number>(file, MAX_SEEN)
  let lastMs = 0
  const { origin, pathname } = new URL(carrier.callback)

  async function firstSeen(key: string): Promise<Date> {
    const known = seen.get(key)
    if (known !== undefined) return new Date(known)
    lastMs = Math.max(Date.now(), lastMs + 1)
    const at = new Date(lastMs)
    await seen.set(key, lastMs)
    return at
  }

  async function take(request: IncomingMessage): Promise<number> {
    const { method = 'GET', url = '/' } = request
    if (url.split('?')[0] !== pathname) return 404
    // no carrier compresses its calls
    if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? '')) return 415
    const body = await readCallBody(request)
    if (!body) return 413
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const news = readCall(carrier, { method, url: origin + url, headers, body })
    if (!news) return 401
    for (const event of news.events) {
      if (event.kind === 'receipt') {
        await events.delivered(event, new Date(), event.error)
        continue
      }
      const { from, subject, sim, files = [] } = event
      const words = writeMmsText([event.body].filter(Boolean), [], files)
      await events.received({ from, sim, body: words, subject }, await firstSeen(event.key))
    }
    for (const names of news.unknown) events.unknown?.(names)
    return news.unknown.length > 0 ? 503 : 200
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    // the carrier repeats a call that could not be stored, or understood
    const status = await take(request).catch(() => 503)
    response.writeHead(status, { 'content-type': 'text/plain' }).end()
  }
  const server = createServer({ requestTimeout: REQUEST_MS, maxHeaderSize: 16_384 }, answer)
  server.listen(port, host)
  await once(server, 'listening').catch((error: Error) => {
    throw new UserError(`The port ${port} of ${host} cannot be opened: ${error.message}`)
  })
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    seen.close()
  }
}

/** The body; undefined if it is too large. */
async function readCallBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_CALL_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
