import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { Backoff } from './backoff.ts'
import { ask, mayPass, type Server, ServerRefusal } from './server.ts'

/** The server sends something at least every 15 s, so a longer silence means that the connection is dead. */
const SILENT_MS = 45_000

/** Listens until `ended` and reconnects; calls `connected` each time. Throws ServerRefusal. */
export async function listen(
  server: () => Server,
  connected: () => void,
  heard: (event: EventSourceMessage) => void,
  ended: AbortSignal,
): Promise<void> {
  const backoff = new Backoff()
  while (!ended.aborted) {
    try {
      await listenOnce(
        server(),
        () => {
          backoff.reset()
          connected()
        },
        heard,
        ended,
      )
    } catch (error) {
      if (error instanceof ServerRefusal && !mayPass(error)) throw error
    }
    await backoff.pause(ended)
  }
}

async function listenOnce(
  server: Server,
  connected: () => void,
  heard: (event: EventSourceMessage) => void,
  ended: AbortSignal,
): Promise<void> {
  const dead = new AbortController()
  const watch = setTimeout(() => dead.abort(), SILENT_MS)
  try {
    const signal = AbortSignal.any([ended, dead.signal])
    const response = await ask(server, '/api/devices/events', { signal })
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
  } finally {
    clearTimeout(watch)
  }
}
