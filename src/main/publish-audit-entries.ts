import type { NumberedEntry } from '../engine/auth/audit/publish-audit-entries.ts'
import { queueAuditCalls } from '../gateway/webhooks/queue-audit-calls.ts'
import type { Db } from '../platform/db/open.ts'
import { awaitWrittenLines, type Logger } from '../platform/log.ts'

/** The transaction ends once its lines are written; if it fails, lines are repeated: none is left out. */
export const makeAuditPublisher =
  (log: Logger) =>
  async (db: Db, entries: readonly NumberedEntry[]): Promise<void> => {
    await queueAuditCalls(db, entries)
    // a log without a reader gets no repeated lines
    await awaitWrittenLines(log)
    for (const entry of entries)
      log.info({ audit: true, ...entry, fields: JSON.parse(entry.fields) }, 'audit')
    await awaitWrittenLines(log)
  }
