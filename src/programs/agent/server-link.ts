import { setTimeout as sleep } from 'node:timers/promises'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { GatewayError } from '../../platform/api-errors.ts'

export interface Server {
  /** The server's URL without a trailing slash. */
  readonly url: string
  /** The device's token; empty before pairing. */
  readonly token: string
}

/** An event of the server's stream. `data` is JSON. */
export interface ServerEvent {
  readonly event?: string | undefined
  readonly data?: string
}

/** The requests of a device to its server: by HTTP, or in the server's own process. */
export interface ServerLink {
  /** Posts JSON. Throws GatewayError if the server refuses, ServerUnavailable if it fails or on abort. */
  call<T>(
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<{ readonly body: T; readonly serverTime: number }>
  /** Listens to the server's events until `ended`. Calls `connected` after each (re)connection. */
  listen(
    connected: () => void,
    heard: (event: ServerEvent) => void,
    ended: AbortSignal,
  ): Promise<void>
  /** Takes the fault that stops the device; '' once the device works again. */
  fault?(text: string): void
}

export const makeHttpLink = (server: () => Server): ServerLink => ({
  call: (path, body, signal) => callServer(server(), path, body, signal),
  listen: (connected, heard, ended) => listenToServer(server, connected, heard, ended),
})

/** The server is unreachable or failed. A retry may succeed. */
export class ServerUnavailable extends Error {
  override name = 'ServerUnavailable'
}

/** Whether the server refused because the device or account is disabled. It may be enabled again. */
export const isDisabledRefusal = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.status === 403

const TIMEOUT_MS = 15_000
/** Statuses below 500 that are temporary. Some proxies answer 404 while the server is unreachable. */
const PASSING = new Set([404, 408, 425, 429])

/** Posts JSON. Throws GatewayError if the server refuses, ServerUnavailable if it fails or on abort. */
export async function callServer<T>(
  server: Server,
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<{ readonly body: T; readonly serverTime: number }> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const response = await requestServer(server, path, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
  try {
    const text = await response.text()
    const serverTime = Date.parse(response.headers.get('date') ?? '') || Date.now()
    return { body: (text === '' ? undefined : JSON.parse(text)) as T, serverTime }
  } catch (error) {
    throw new ServerUnavailable('The answer broke off.', { cause: error })
  }
}

/** Sends a request. Returns before the answer's body is read. Throws the errors of `call`. */
async function requestServer(server: Server, path: string, init: RequestInit): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(server.token && { authorization: `Bearer ${server.token}` }),
  }
  const response = await fetch(server.url + path, { ...init, headers, redirect: 'error' }).catch(
    (error) => {
      throw new ServerUnavailable(`${server.url} cannot be reached.`, { cause: error })
    },
  )
  if (response.ok) return response
  const { status } = response
  const message = await readAnswerMessage(response)
  if (status >= 500 || PASSING.has(status)) throw new ServerUnavailable(message)
  throw new GatewayError(status, { message })
}

async function readAnswerMessage(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined) // undefined for a proxy's error page
  const message = (body as { message?: unknown } | undefined)?.message
  return typeof message === 'string' ? message : `The server answered ${response.status}.`
}

const FIRST_MS = 500
/** Longest pause before each of the first 60 retries: agents reconnect soon after a server's restart. */
const YOUNG_MS = 1_000
const YOUNG_TRIES = 60
const LONGEST_MS = 30_000

/** Upper limit of the random pause before the next retry. It grows with the number of failed tries. */
const computeLongestPause = (tries: number) =>
  tries < YOUNG_TRIES
    ? Math.min(YOUNG_MS, FIRST_MS * 2 ** tries)
    : Math.min(LONGEST_MS, YOUNG_MS * 2 ** (tries - YOUNG_TRIES))

/** Repeats `work` until `ended`. Random pauses after failures grow until `work` calls `succeeded` or ends. */
export async function retryUntilEnded(
  work: (succeeded: () => void) => Promise<void>,
  ended: AbortSignal,
) {
  let tries = 0
  const succeeded = () => {
    tries = 0
  }
  while (!ended.aborted) {
    try {
      await work(succeeded)
      succeeded()
    } catch (error) {
      if (!(error instanceof ServerUnavailable || isDisabledRefusal(error))) throw error
      const longest = computeLongestPause(tries++)
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal: ended }).catch(() => {}) // ended
    }
  }
}

/** A connection is dead after this silence: the server sends something at least every 15 s. */
const SILENT_MS = 45_000

/**
 * Listens to the server's events until `ended`. Calls `connected` after each (re)connection. Throws
 * GatewayError, e.g. for an unknown device.
 */
const listenToServer = (
  server: () => Server,
  connected: () => void,
  heard: (event: EventSourceMessage) => void,
  ended: AbortSignal,
) =>
  retryUntilEnded(async (succeeded) => {
    const dead = new AbortController()
    const watch = setTimeout(() => dead.abort(), SILENT_MS)
    try {
      const signal = AbortSignal.any([ended, dead.signal])
      const response = await requestServer(server(), '/api/devices/events', { signal })
      succeeded()
      connected()
      const alive = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          watch.refresh()
          controller.enqueue(chunk)
        },
      })
      const events = response
        .body!.pipeThrough(alive)
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
      for await (const event of events) heard(event)
    } catch (error) {
      if (error instanceof GatewayError) throw error
    } finally {
      clearTimeout(watch)
    }
    throw new ServerUnavailable('The stream has ended.')
  }, ended)
