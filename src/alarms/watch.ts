import type { Db } from '../db/open.ts'
import { type Post, sendAlarms } from './post.ts'
import { lookForSilence } from './silence.ts'

/**
 * What is to be done once a minute so that owners hear of their silent devices: a look, then the mails. Asked while it is
 * at it, it answers with that run.
 */
export function deviceWatch(
  db: Db,
  post: Post,
  alarmMinutes: number,
  stopping: AbortSignal,
): () => Promise<void> {
  let running: Promise<void> | undefined
  const run = async () => {
    await lookForSilence(db, alarmMinutes)
    await sendAlarms(db, post, stopping)
  }
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
