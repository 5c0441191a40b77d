import type { Db } from '../platform/db/open.ts'
import { printLine } from './command-line.ts'
import { withStore } from './open-store-for-command.ts'

/** `pocketsms doctor --audit`: prints a line for each fault. The exit code is 1 if there is one. */
export const checkAudit = (): Promise<void> =>
  withStore(async ({ db }) => {
    const { faults, entries } = await findAuditFaults(db)
    for (const fault of faults) printLine(`FAULT  ${fault}`)
    printLine(faults.length > 0 ? SEE : `ok     ${entries} entries have all their numbers.`)
    process.exitCode = faults.length > 0 ? 1 : 0
  })

const SEE =
  'Somebody changed rows of the audit log by hand. See docs/security.md#numbers-of-entries.'

/** Numbers of a log, without a gap, whose entries are missing. */
const MISSING = `
select account, min(number), max(number) from (
  select l.account, g.number, g.number - row_number() over (partition by l.account order by g.number) as island
  from _audit_logs l cross join lateral generate_series(l.first_number, l.last_number) g(number)
  where not exists (
    select from _audit_numbers n where n.account = l.account and n.number = g.number and case
      when l.account = '' then exists (select from _audit a where a.id = n.entry)
      else exists (select from account_audit a where a.id = n.entry and a."user" = l.account) end
  )
) m group by account, island order by account, min(number)`

/** Entries that were added while no trigger queued them, or whose number was removed. */
const WITHOUT_NUMBER = `
select e.account, e.id from (
  select '' as account, id from _audit union all select "user", id from account_audit
) e
where not exists (select from _audit_numbers n where n.entry = e.id and n.account = e.account)
  and not exists (select from _audit_queue q where q.entry = e.id)
order by e.account, e.id limit 100`

/** Compares the entries of the audit logs with their numbers, in one snapshot. */
export const findAuditFaults = (db: Db): Promise<{ faults: string[]; entries: number }> =>
  db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    await tx.limitStatements(0)
    const missing = (await tx.query(MISSING)).rows.map(([account, from, to]) =>
      from === to
        ? `${nameLog(account)}: entry ${from} is missing.`
        : `${nameLog(account)}: entries ${from} to ${to} are missing.`,
    )
    const added = (await tx.query(WITHOUT_NUMBER)).rows.map(
      ([account, id]) => `${nameLog(account)}: the entry ${id} has no number.`,
    )
    const { rows } = await tx.query('select count(*)::int from _audit_numbers')
    return { faults: [...missing, ...added], entries: Number(rows[0]![0]) }
  })

const nameLog = (account: unknown) =>
  account === '' ? 'Log of superusers' : `Log of the account ${account}`
