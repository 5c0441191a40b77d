import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { writePeriodsSql } from '../base/retention-periods.ts'
import { redactPayloads } from './end-messages.ts'
import { writeAccountsSql } from './read-account-pages.ts'
import { BATCH, selectOldTexts } from './run-in-batches.ts'

/** Deletes the files of old messages, and keeps their texts. Returns the number of messages. */
export async function deleteFiles(
  db: Db,
  days: number,
  accounts: readonly string[],
): Promise<number> {
  const emptied = await queries(db, 'planned')
    .with('found', (query) =>
      query
        .selectFrom(writeAccountsSql(accounts))
        .crossJoinLateral(({ ref }) => writePeriodsSql(ref('a.id'), days).as('p'))
        .crossJoinLateral(selectOldTexts(sql`m."user" = a.id and m.attachments <> '{}'`, 'p.files'))
        .select('old.id')
        .limit(sql.lit(BATCH)),
    )
    .updateTable('sms_messages as m')
    .from('found')
    .set({ attachments: [] })
    .whereRef('m.id', '=', 'found.id')
    .returning('m.id')
    .execute()
  const ids = emptied.map(({ id }) => id)
  if (ids.length > 0) await redactPayloads(db, ids, { attachments: [] })
  return ids.length
}
