import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { before, periodsSql } from '../base/retention-periods.ts'
import { accountsSql } from './accounts.ts'
import { BATCH, ENDED_SQL } from './batches.ts'
import { redactPayloads } from './end-messages.ts'

/** Deletes the files of old messages, and keeps their texts. Returns the number of messages. */
export async function deleteFiles(db: Db, days: number, accounts: readonly string[]): Promise<number> {
  const emptied = await queries(db, 'planned')
    .with('old', (query) =>
      query
        .selectFrom(accountsSql(accounts))
        .crossJoinLateral(({ ref }) => periodsSql(ref('a.id'), days).as('p'))
        .crossJoinLateral(({ selectFrom, ref }) =>
          selectFrom('sms_messages as m')
            .select('m.id')
            .whereRef('m.user', '=', 'a.id')
            .where('m.created', '<', before(ref('p.files')))
            .where('m.updated', '<', before(ref('p.files')))
            .where(sql<boolean>`${sql.raw(ENDED_SQL)} and attachments <> '{}'`)
            .orderBy('m.created')
            .limit(sql.lit(BATCH))
            .forUpdate()
            .skipLocked()
            .as('found'),
        )
        .select('found.id')
        .limit(sql.lit(BATCH)),
    )
    .updateTable('sms_messages as m')
    .from('old')
    .set({ attachments: [] })
    .whereRef('m.id', '=', 'old.id')
    .returning('m.id')
    .execute()
  const ids = emptied.map(({ id }) => id)
  if (ids.length > 0) await redactPayloads(db, ids, { attachments: [] })
  return ids.length
}
