import type { SealedEntry } from '../engine/auth/audit/seal-audit-entries.ts'
import { queueAuditCalls } from '../gateway/webhooks/queue-audit-calls.ts'
import type { Db } from '../platform/db/open.ts'
import type { Logger } from '../platform/log.ts'

/**
 * Returns a function that queues the webhook calls of sealed entries and writes a line for each to the
 * server's log. If the transaction then fails, the lines are repeated: none is left out.
 */
export const makeAuditPublisher =
  (log: Logger) =>
  async (db: Db, entries: readonly SealedEntry[]): Promise<void> => {
    await queueAuditCalls(db, entries)
    for (const entry of entries)
      log.info({ audit: true, ...entry, fields: JSON.parse(entry.fields) }, 'audit')
  }
