import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../db/open.ts'
import type { Logger } from '../../log.ts'
import type { Exclusively } from './backups.ts'
import { RESTORE_CHANNEL, readState } from './state.ts'

const POLL_MS = 500

/** Restarts this node when another restores a backup. `seen`: known restores. Returns its stop. */
export function followRestores(
  db: Db,
  node: string,
  log: Logger,
  seen: () => number,
  exclusively: Exclusively,
): Promise<() => Promise<void>> {
  const look = async () => {
    const { running, restores } = await readState(db)
    if (running?.node === node) return
    if (running?.exclusive || restores !== seen()) await exclusively(() => otherRestoreIsOver(db, node))
  }
  let looking = Promise.resolve()
  return db.listen(RESTORE_CHANNEL, () => {
    looking = looking.then(look).catch((err) => log.error({ err }, 'could not read the state of restores'))
  })
}

/** Waits until no other node restores a backup; the restore of a dead node ends with its lease. */
export async function otherRestoreIsOver(db: Db, node: string): Promise<void> {
  for (;;) {
    const state = await readState(db).catch(() => undefined)
    if (state && !(state.running?.exclusive && state.running.node !== node)) return
    await sleep(POLL_MS)
  }
}
