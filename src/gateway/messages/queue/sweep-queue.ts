import type { Store } from '../../../engine/collections/catalog.ts'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { tryAcquireLock } from '../../../platform/db/queries.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import {
  cancelRefusedMessages,
  failExpiredLeases,
  failExpiredMessages,
  failForDeletedDevice,
  failForDeletedLine,
  reassignUnclaimed,
  releaseDueMessages,
  retryExpiredLeases,
  takeBackStaleMessages,
  wakeUnclaimedAgain,
} from './overdue-messages.ts'

/**
 * Steps of a sweep, ordered so that no device is woken for an ended message, and that a refused text ends as
 * refused: it costs nothing. They return devices to wake.
 */
const SWEEPS: readonly ((
  db: Db,
  onlineSeconds: number,
  stickyDays: number,
) => Promise<readonly string[]>)[] = [
  failExpiredLeases,
  cancelRefusedMessages,
  failExpiredMessages,
  failForDeletedDevice,
  retryExpiredLeases,
  takeBackStaleMessages,
  failForDeletedLine,
  releaseDueMessages,
  reassignUnclaimed,
  wakeUnclaimedAgain,
]
const BY_SILENCE: ReadonlySet<unknown> = new Set([
  failExpiredLeases,
  retryExpiredLeases,
  reassignUnclaimed,
])

/** Handles overdue messages. False if another node does. `silenceCounts`: false after a server's outage. */
export async function sweepQueue(
  store: Store,
  deviceOnlineSeconds: number,
  silenceCounts = true,
  stickyDays = 0,
) {
  const steps = silenceCounts ? SWEEPS : SWEEPS.filter((step) => !BY_SILENCE.has(step))
  const devices = new Set<string>()
  const isOurs = await store.db.transaction(async (db) => {
    if (!(await tryAcquireLock(db, LOCKS.sweep))) return false
    for (const step of steps)
      for (const device of await step(db, deviceOnlineSeconds, stickyDays)) devices.add(device)
    return true
  })
  wakeDevices(store.db, [...devices])
  return isOurs
}
