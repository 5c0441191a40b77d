import type { AfterRestore } from '../engine/backup/restore.ts'
import { countMessages } from '../gateway/messages/message-totals.ts'
import { endUnfinishedTexts } from '../gateway/messages/queue/fail-after-restore.ts'
import { endAllLeases } from '../gateway/webhooks/lease-deliveries.ts'
import { BUILT_IN } from './collection-definitions.ts'

/** Ends unfinished texts and all leases, and counts messages. */
export const afterRestore: AfterRestore = {
  builtIn: BUILT_IN,
  async run(tx, resume) {
    const ended = resume ? 0 : await endUnfinishedTexts(tx)
    await endAllLeases(tx)
    await countMessages(tx)
    return ended
  },
}
