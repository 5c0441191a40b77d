import { sql } from 'kysely'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'

/** Ends verifications that have expired, and deletes their codes. Call it regularly, on any node. */
export async function expireVerifications(db: Db): Promise<void> {
  while ((await expireVerificationBatch(db)) > 0);
}

/** Ends at most 1,000 verifications that have expired. Returns their number. */
async function expireVerificationBatch(db: Db): Promise<number> {
  const ended = await executeStatement(
    db,
    sql`with written as (
      update verifications set status = 'expired', updated = ${NOW}
      where id = any(array(
        select id from verifications where status = 'pending' and expires_at <= ${NOW}
        order by expires_at limit 1000 for update skip locked))
      returning *
    ), forgotten as (
      delete from _verify_codes using written where verification = written.id
    ), noted as ${logQuery('update', 'verifications', 'ids')}
    select id from written`,
  )
  return ended.length
}

/** Deletes ended verifications that were created more than `days` days ago. */
export async function deleteOldVerifications(db: Db, days: number): Promise<void> {
  const before = formatDate(new Date(Date.now() - days * 86_400_000))
  await queries(db)
    .deleteFrom('verifications')
    .where('created', '<', before)
    .where('status', '<>', 'pending')
    .execute()
}
