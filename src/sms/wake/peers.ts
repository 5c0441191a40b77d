import { countChannelListeners } from '../../db/listeners.ts'
import type { Db } from '../../db/open.ts'

/** By database (`Db.pool`): notifications heard when no other node was found, and until now. */
const alone = new WeakMap<object, number>()
const heard = new WeakMap<object, number>()

const heardOn = (db: Db) => heard.get(db.pool) ?? 0

/** Takes note of a word of another node. Each says one when it comes. */
export const notePeer = (db: Db): void => void heard.set(db.pool, heardOn(db) + 1)

/** Whether other nodes exist. Alone, a send saves its NOTIFY: 0.76 ms instead of 0.88. */
export const hasPeers = (db: Db): boolean => alone.get(db.pool) !== heardOn(db)

/** Looks whether anybody else listens on the channel. */
export async function checkForPeers(db: Db, channel: string): Promise<void> {
  const before = heardOn(db)
  if ((await countChannelListeners(db, channel)) > 1) alone.delete(db.pool)
  else alone.set(db.pool, before)
}
