import type { Db } from '../db/open.ts'
import { checkSilentDevices } from './check-silent-devices.ts'
import { type AlarmMailServices, sendAlarms } from './send-alarms.ts'

/**
 * What is to be done once a minute so that owners hear of their silent devices: a look, then the mails. Asked
 * while it is at it, it answers with that run.
 */
export function deviceWatchJob(
  db: Db,
  post: AlarmMailServices,
  alarmMinutes: number,
  stopping: AbortSignal,
): () => Promise<void> {
  let running: Promise<void> | undefined
  const run = async () => {
    await checkSilentDevices(db, alarmMinutes)
    await sendAlarms(db, post, stopping)
  }
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
