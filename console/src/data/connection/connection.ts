import { signal } from '@preact/signals'
import { EventSource } from 'eventsource'
import { serverUrl } from '../client.ts'
import { askDatabase } from './database-fault.ts'

export const isOnline = signal(true)

/** An event stream without bytes for this time is restarted: the server sends a comment every 15 s. */
const SILENT_MS = 30_000
/** Interval of connection checks. A dead connection is noticed after at most ASK_MS + ANSWER_MS. */
const ASK_MS = 4_000
const ANSWER_MS = 4_000

/** An EventSource that also records when bytes last arrived. The browser's own class does not. */
class WatchedSource extends EventSource {
  heardAt = Date.now()
  constructor(url: string | URL) {
    super(url, {
      fetch: (input, init) => fetch(input, init).then((response) => this.#watched(response)),
    })
    stream = this
  }

  #watched(response: Response): Response {
    const hear = (bytes: Uint8Array, to: TransformStreamDefaultController<Uint8Array>) => {
      this.heardAt = Date.now()
      to.enqueue(bytes)
    }
    const heard = response.body?.pipeThrough(new TransformStream({ transform: hear }))
    return new Response(heard ?? null, response)
  }

  /** Closes the stream with an error. The SDK then reconnects, and pages read the changes they missed. */
  fail(): void {
    this.close()
    this.onerror?.call(this as never, new Event('error') as never)
  }
}

let stream: WatchedSource | undefined

let present = new AbortController()
/** Returns a signal that aborts requests when the connection dies, to free the browser's connections. */
export const readConnectionSignal = (): AbortSignal => present.signal

function setOnline(isWell: boolean): void {
  if (!isWell) {
    present.abort()
    present = new AbortController()
  }
  isOnline.value = isWell
}

export async function askServerHealth(): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const answer = await fetch(`${serverUrl}/api/health`, { signal, cache: 'no-store' }).catch(
    () => undefined,
  )
  const isWell = answer?.ok === true
  // after an outage, restarts the event stream: its old connection may be dead
  if (isWell && !isOnline.value) stream?.fail()
  setOnline(isWell)
  if (isWell) void askDatabase(serverUrl, AbortSignal.timeout(ANSWER_MS))
  return isWell
}

/** Checks the connection. Restarts an event stream that was silent too long: the computer may have slept. */
function checkConnection(): void {
  const silentMs = Date.now() - (stream?.heardAt ?? 0)
  if (stream && stream.readyState !== stream.CLOSED && silentMs > SILENT_MS) stream.fail()
  if (document.visibilityState === 'visible') void askServerHealth()
}

/** Watches the connection to the server for as long as the console is open. */
export function watchConnection(): void {
  globalThis.EventSource = WatchedSource as never
  setInterval(checkConnection, ASK_MS)
  addEventListener('online', () => void askServerHealth())
  addEventListener('offline', () => setOnline(false))
  addEventListener('pageshow', checkConnection)
  document.addEventListener('visibilitychange', checkConnection)
}
