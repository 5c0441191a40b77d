import { EventEmitter, once } from 'node:events'
import { callFunction } from '../../platform/db/call-function.ts'
import { countChannelListeners } from '../../platform/db/count-listeners.ts'
import type { Db } from '../../platform/db/open.ts'
import { makeRandomText } from '../../platform/tools/random.ts'

/** Maximum wait for other server processes. One that is disconnected catches up when it reconnects. */
const PATIENCE_MS = 1_000
const SEEN = 'seen '

/** Announces a change to all nodes (server processes) by NOTIFY and waits for their answers. */
export function makeClusterBarrier(ownDb: Db, channel: string) {
  const answers = new Map<string, number>()
  const arrivals = new EventEmitter()
  const say = (db: Db, payload: string) => callFunction(db, 'pg_notify', channel, payload)
  return {
    async announce(db: Db): Promise<string> {
      const change = makeRandomText(12)
      answers.set(change, 0)
      await say(db, change)
      return change
    },
    hear(payload: string): boolean {
      if (!payload.startsWith(SEEN)) return false
      const change = payload.slice(SEEN.length)
      const count = answers.get(change)
      if (count !== undefined) {
        answers.set(change, count + 1)
        arrivals.emit('answer')
      }
      return true
    },
    async answer(change: string): Promise<void> {
      if (change !== '') await say(ownDb, SEEN + change)
    },
    /** Waits at most PATIENCE_MS until every server process, including this one, has answered. */
    async complete(change: string): Promise<void> {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const nodes = await countChannelListeners(ownDb, channel)
      while ((answers.get(change) ?? 0) < nodes && !signal.aborted)
        await once(arrivals, 'answer', { signal }).catch(() => {})
    },
    forget: (change: string) => answers.delete(change),
  }
}
