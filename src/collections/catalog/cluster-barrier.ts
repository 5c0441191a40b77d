import { EventEmitter, once } from 'node:events'
import { countChannelListeners } from '../../db/listeners.ts'
import type { Db } from '../../db/open.ts'
import { randomText } from '../../tools/random.ts'

/** Maximum wait for a node. A slower one reloads the collections when it reconnects. */
const PATIENCE_MS = 1_000
const SEEN = 'seen '

/** Announces changes to all nodes by NOTIFY and waits until each has them. */
export function clusterBarrier(ownDb: Db, channel: string) {
  const answers = new Map<string, number>()
  const arrivals = new EventEmitter()
  const say = async (db: Db, payload: string): Promise<void> =>
    void (await db.query('select pg_notify($1, $2)', [channel, payload]))
  return {
    /** Announces a change at the commit of `db`'s transaction. Returns the change's name. */
    async announce(db: Db): Promise<string> {
      const change = randomText(12)
      answers.set(change, 0)
      await say(db, change)
      return change
    },
    /** Handles an answer; false for other payloads. */
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
    /** Waits until every node, including this one, has answered, or PATIENCE_MS has passed. */
    async complete(change: string): Promise<void> {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const nodes = await countChannelListeners(ownDb, channel)
      while ((answers.get(change) ?? 0) < nodes && !signal.aborted)
        await once(arrivals, 'answer', { signal }).catch(() => {})
    },
    forget: (change: string) => answers.delete(change),
  }
}
