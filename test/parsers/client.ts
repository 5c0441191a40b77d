import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Shot, ShotAnswer } from './client-thread.ts'

/** A client whose work does not count as the server's. It sends one request at a time. */
export function clientApart() {
  const thread = new Worker(new URL('./client-thread.ts', import.meta.url), { execArgv: [] })
  thread.unref()
  return async (shot: Shot): Promise<ShotAnswer> => {
    thread.postMessage(shot)
    const [answer] = await once(thread, 'message')
    return answer as ShotAnswer
  }
}
