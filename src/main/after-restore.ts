import type { AfterRestore } from '../backup/restore.ts'
import { countMessages } from '../sms/message-totals.ts'
import { endUnfinished } from '../sms/queue/fail-after-restore.ts'
import { endAllLeases } from '../webhooks/lease.ts'

/** Ends unfinished texts and all leases, and counts messages. */
export const afterRestore: AfterRestore = async (tx, resume) => {
  const ended = resume ? 0 : await endUnfinished(tx)
  await endAllLeases(tx)
  await countMessages(tx)
  return ended
}
