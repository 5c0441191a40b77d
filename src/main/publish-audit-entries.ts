import type { SealedEntry } from '../engine/auth/audit/seal-audit-entries.ts'
import { queueAuditCalls } from '../gateway/webhooks/queue-audit-calls.ts'
import type { Db } from '../platform/db/open.ts'
import type { Logger } from '../platform/log.ts'

/** Writes a line of log each, too. If the transaction fails, lines are repeated: none is left out. */
export const makeAuditPublisher =
  (log: Logger) =>
  async (db: Db, entries: readonly SealedEntry[]): Promise<void> => {
    await queueAuditCalls(db, entries)
    for (const entry of entries)
      log.info({ audit: true, ...entry, fields: JSON.parse(entry.fields) }, 'audit')
  }
