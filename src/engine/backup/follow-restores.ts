import { setTimeout as sleep } from 'node:timers/promises'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Logger } from '../../platform/log.ts'
import { loadBackupState } from './state.ts'

/** The channel notified when a restore begins to replace the data, and when it ends. */
const RESTORE_CHANNEL = 'pocketsms_restore'

/** Makes all nodes check whether a restore began or ended. */
export const notifyRestore = (db: Db): Promise<void> =>
  callFunction(db, 'pg_notify', RESTORE_CHANNEL, '')

const POLL_MS = 500

/** Restarts this node when another one restores a backup. `seen`: the number of restores at its start. */
export function followRestores(
  db: Db,
  node: string,
  log: Logger,
  seen: () => number,
  exclusively: (work: () => Promise<void>) => Promise<void>,
): Promise<() => Promise<void>> {
  const look = async () => {
    const { running, restores } = await loadBackupState(db)
    if (running?.node === node) return
    if (running?.exclusive || restores !== seen())
      await exclusively(() => awaitOtherRestore(db, node))
  }
  let looking = Promise.resolve()
  return db.listen(RESTORE_CHANNEL, () => {
    looking = looking
      .then(look)
      .catch((err) => log.error({ err }, 'could not read the state of restores'))
  })
}

/** Waits until no other node restores a backup; the restore of a dead node ends with its lease. */
export async function awaitOtherRestore(db: Db, node: string): Promise<void> {
  for (;;) {
    const state = await loadBackupState(db).catch(() => undefined)
    if (state && !(state.running?.exclusive && state.running.node !== node)) return
    await sleep(POLL_MS)
  }
}
