import {
  type Agent,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { OutgoingAgent } from './proxy.ts'
import {
  lookUpHost,
  makePublicLookup,
  type Resolve,
  refuseAddress,
} from './refuse-private-addresses.ts'

/** An unused connection is closed after this time: most servers close it after 5 s, or name their limit. */
const IDLE_MS = 4_000
/** Three accounts' maximum of simultaneous calls: many accounts often call the same service. */
const MAX_IDLE_TO_HOST = 60
/** Maximum unused connections to all hosts together: each is an open file of this process. */
const MAX_IDLE = 800
/** A connection is replaced after this time, so that a host that has moved is found at its new address. */
const MAX_AGE_MS = 60_000

const OPTIONS = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_TO_HOST }

const makeAgents = () => ({ 'http:': new HttpAgent(OPTIONS), 'https:': new OutgoingAgent(OPTIONS) })

/** Two sets: a request that may reach only public addresses must not reuse a connection to a private one. */
const makeAllAgents = () => ({
  madeAt: performance.now(),
  toPublic: makeAgents(),
  toAny: makeAgents(),
})

let agents = makeAllAgents()

/** The agent that keeps the connections of a URL. Undefined if too many are unused. */
function findKeptAgent({ protocol }: Pick<URL, 'protocol'>, allowPrivate: boolean) {
  // the unused connections of the old agents close by themselves
  if (performance.now() - agents.madeAt > MAX_AGE_MS) agents = makeAllAgents()
  const { toAny, toPublic } = agents
  const agent: HttpAgent = (allowPrivate ? toAny : toPublic)[
    protocol === 'https:' ? 'https:' : 'http:'
  ]
  const unused = Object.values(agent.freeSockets).reduce(
    (sum, sockets) => sum + (sockets?.length ?? 0),
    0,
  )
  return unused < MAX_IDLE ? agent : undefined
}

interface Outgoing {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer | string | undefined
}

interface RequestLimits {
  /** Allows private addresses and plain http. */
  readonly allowPrivate: boolean
  /** Maximum bytes of the answer's body to read; if absent, none are read. */
  readonly maxBodyBytes?: number
  /** Called with the next size of the body's buffer above 64 KiB. What it throws ends the request. */
  readonly room?: ((bytes: number) => Promise<void>) | undefined
  /** Reads the body of an answer only if it has this status. */
  readonly bodyStatus?: number
  /** Milliseconds from the lookup to the last byte read. Default: 10 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Milliseconds from the lookup to the connection. */
  readonly connectMs?: number
  /** Ends the request only while it has no connection. */
  readonly connectSignal?: AbortSignal
  readonly resolve?: Resolve
  /** The receiver accepts a repeated request: connections are then kept for later requests. */
  readonly mayRepeat?: boolean
}

/** An answer. `body`: its first bytes, at most `maxBodyBytes`. */
export interface ResponseHead {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const TIMEOUT_MS = 10_000
const MAX_HINTS = 10

/**
 * An error of `sendOutgoing`. `isUnsent`: it had no connection yet, so nothing of the request has left.
 * `isStale`: a connection of an earlier request was closed before an answer arrived.
 */
export type OutgoingError = NodeJS.ErrnoException & {
  readonly isUnsent?: boolean
  readonly isStale?: boolean
}

/**
 * Sends a request; follows no redirects. Without `allowPrivate`, uses only https and public addresses.
 * Rejects with an OutgoingError, or with AddressRefused before anything is sent.
 */
export async function sendOutgoing(
  outgoing: Outgoing,
  limits: RequestLimits,
): Promise<ResponseHead> {
  refuseAddress(outgoing.url, limits.allowPrivate)
  const url = new URL(outgoing.url)
  const begunMs = performance.now()
  const { timeoutMs = TIMEOUT_MS } = limits
  const agent = limits.mayRepeat ? findKeptAgent(url, limits.allowPrivate) : undefined
  try {
    return await sendOnce(url, outgoing, { ...limits, timeoutMs }, agent)
  } catch (error) {
    if (!(error as OutgoingError).isStale) throw error
    return sendOnce(url, outgoing, {
      ...limits,
      timeoutMs: timeoutMs - (performance.now() - begunMs),
    })
  }
}

function sendOnce(
  url: URL,
  { method, headers, body }: Outgoing,
  limits: RequestLimits,
  agent?: Agent,
): Promise<ResponseHead> {
  const { allowPrivate, timeoutMs, signal, connectMs, connectSignal, resolve } = limits
  const lookup = allowPrivate ? lookUpHost : makePublicLookup(resolve)
  const isHttps = url.protocol === 'https:'
  const send = isHttps ? httpsRequest : httpRequest
  return new Promise<ResponseHead>((done, fail) => {
    const once = isHttps && new OutgoingAgent()
    const options = { method, headers: { ...headers }, agent: agent ?? once, lookup }
    const request = send(url, { ...options, ...(signal && { signal }) })
    let hints = 0
    let isConnected = false
    const giveUp = () => request.destroy(new Error(`${url.origin} did not answer in time`))
    const timer = setTimeout(giveUp, timeoutMs)
    const connecting = connectMs !== undefined && setTimeout(giveUp, connectMs)
    const endConnecting = () => {
      if (connecting) clearTimeout(connecting)
      connectSignal?.removeEventListener('abort', giveUp)
    }
    const connected = () => {
      isConnected = true
      endConnecting()
    }
    connectSignal?.addEventListener('abort', giveUp)
    request.on('socket', (socket) => {
      if (request.reusedSocket) connected()
      else socket.once(isHttps ? 'secureConnect' : 'connect', connected)
    })
    request.on('information', () => {
      if (++hints > MAX_HINTS) request.destroy(new Error(`${url.origin} hints and does not answer`))
    })
    let isAnswered = false
    request.on('response', (response) => {
      isAnswered = true
      const { statusCode: status = 0, headers } = response
      const { maxBodyBytes = 0, bodyStatus = status, room } = limits
      readAnswerBody(response, status === bodyStatus ? maxBodyBytes : 0, room)
        .then((body) => done({ status, headers, body }), fail)
        .finally(() => response.complete || request.destroy())
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && LOST.has(error.code ?? '')
      fail(Object.assign(error, { isUnsent: !isConnected, isStale }))
    })
    request.on('close', () => {
      clearTimeout(timer)
      endConnecting()
      if (!isAnswered) fail(new Error(`${url.origin} hung up`))
    })
    request.end(body)
  })
}

/** Errors of a connection that the other side had closed before it got the request. */
const LOST = new Set(['ECONNRESET', 'EPIPE'])

const FIRST_BYTES = 64 << 10

async function readAnswerBody(
  response: IncomingMessage,
  max: number,
  room?: (bytes: number) => Promise<void>,
): Promise<Buffer> {
  // one buffer: a list of small pieces takes hundreds of times their bytes. It grows with what arrives
  let body = Buffer.allocUnsafe(Math.min(max, FIRST_BYTES))
  let length = 0
  if (max === 0) return body
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const wanted = Math.min(max, length + chunk.length)
    if (wanted > body.length) {
      const size = Math.min(max, Math.max(wanted, 2 * body.length))
      await room?.(size)
      const larger = Buffer.allocUnsafe(size)
      body.copy(larger, 0, 0, length)
      body = larger
    }
    length += chunk.copy(body, length)
    if (length === max) break
  }
  return body.subarray(0, length)
}
