import { checkAuditLogs } from '../engine/auth/audit/check-audit-logs.ts'
import type { Db } from '../platform/db/open.ts'
import { printLine } from './command-line.ts'
import { withStore } from './open-store-for-command.ts'

/** `pocketsms doctor --audit`: prints a line for each fault. The exit code is 1 if there is one. */
export const checkAudit = (): Promise<void> =>
  withStore(async ({ db }) => {
    const faults = await printAuditFaults(db, printLine)
    process.exitCode = faults > 0 ? 1 : 0
  })

/** Compares the audit logs with their seals, in one snapshot. Returns the number of faults. */
const printAuditFaults = (db: Db, say: (line: string) => void): Promise<number> =>
  db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    await tx.limitStatements(0)
    const checked = checkAuditLogs(tx)
    for (let faults = 0; ; faults++) {
      const next = await checked.next()
      if (!next.done) say(`FAULT  ${next.value}`)
      else {
        say(faults === 0 ? `ok     ${next.value} entries agree with their seals.` : SEE)
        return faults
      }
    }
  })

const SEE = 'Somebody changed rows of the audit log by hand. See docs/security.md#seals.'
