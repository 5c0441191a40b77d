import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestServer } from '../database/open.ts'
import { stopLater } from '../stops.ts'

// Compares every answer of a test's server with the API's description. A difference fails the test.

/** An answer as the server sent it. */
export interface GivenAnswer {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Returns what is wrong with an answer, or undefined. */
type Judge = (answer: GivenAnswer) => string | undefined

const faults: string[] = []
/** Judges of the servers that run, by port. */
const watched = new Map<number, () => Judge>()

/** Returns the faults of the answers since the last call. */
export const takeFaults = (): string[] => faults.splice(0)

/** Returns the server, whose answers are compared from now on. */
export async function watchAnswers(server: TestServer): Promise<TestServer> {
  const { validatorOf } = await import('./answer-validator.ts')
  const port = Number(new URL(server.url).port)
  watched.set(port, () => validatorOf(server.services.store.catalog, server.services.extensions))
  // another server may have the port then
  const unwatch = stopLater(() => watched.delete(port))
  return {
    url: server.url,
    get services() {
      return server.services
    },
    async stop() {
      await unwatch()
      await server.stop()
    },
  }
}

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const judge = watched.get(request.socket.localPort ?? 0)
  if (judge) listen(request, response, judge)
})

/** What is wrong with an answer; who looks at it may be wrong, too, but keeps no answer back. */
function safely(judge: Judge, answer: GivenAnswer): string | undefined {
  try {
    return judge(answer)
  } catch (error) {
    return `${answer.method} ${answer.url}: ${(error as Error).stack}`
  }
}

/** Collects what is written and looks at it before its end goes out: the client cannot be quicker. */
function listen(request: IncomingMessage, response: ServerResponse, judgeNow: () => Judge): void {
  const judge = judgeNow()
  const pieces: Buffer[] = []
  const keep = (piece: unknown) => {
    const isStream = String(response.getHeader('content-type')).startsWith('text/event-stream')
    if (!isStream && (typeof piece === 'string' || piece instanceof Uint8Array))
      pieces.push(Buffer.from(piece))
  }
  const { write, end } = response
  response.write = (...args: unknown[]) => {
    keep(args[0])
    return write.apply(response, args as Parameters<typeof write>)
  }
  response.end = (...args: unknown[]) => {
    keep(args[0])
    const fault = safely(judge, {
      method: request.method ?? '',
      url: request.url ?? '',
      status: response.statusCode,
      contentType: String(response.getHeader('content-type') ?? ''),
      body: Buffer.concat(pieces).toString('utf8'),
    })
    if (fault) faults.push(fault)
    return end.apply(response, args as Parameters<typeof end>)
  }
}
