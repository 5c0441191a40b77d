import { sql } from 'kysely'
import { formatDate } from '../../engine/fields/date.ts'
import { noteChanges } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { anyFound, NOW, queries } from '../../platform/db/queries.ts'

/** Ends verifications that have expired, and deletes their codes. Call it regularly, on any node. */
export async function expireVerifications(db: Db): Promise<void> {
  while ((await expireSome(db)) > 0);
}

/** Ends at most 1,000 verifications that have expired. Returns their number. */
async function expireSome(db: Db): Promise<number> {
  const { ended } = await queries(db)
    .with('written', (query) =>
      query
        .updateTable('verifications')
        .set({ status: 'expired', updated: NOW })
        .where('id', '=', ({ selectFrom }) =>
          anyFound(
            selectFrom('verifications')
              .select('id')
              .where('status', '=', sql.lit('pending'))
              .where('expires_at', '<=', NOW)
              .orderBy('expires_at')
              .limit(1_000)
              .forUpdate()
              .skipLocked(),
          ),
        )
        .returningAll(),
    )
    .with('forgotten', (query) =>
      query.deleteFrom('_verify_codes').using('written').whereRef('verification', '=', 'written.id'),
    )
    .with('noted', noteChanges('update', 'verifications', 'ids'))
    .selectFrom('written')
    .select(({ fn }) => fn.countAll<number>().as('ended'))
    .executeTakeFirstOrThrow()
  return ended
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
