import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { MESSAGE_COLLECTION } from '../../base/message-files.ts'
import { REASONS } from '../../base/message-status.ts'
import { cancelIfRefused } from './reassign-messages.ts'

const MAX_ROWS = 1_000

/**
 * Refuses queued MMS whose files have more than `maxBytes`: an earlier setting of the server allowed them. A
 * retry prepares their files again. An MMS that a device has fetched ends when the device reports that it did
 * not send it.
 */
export async function refuseLargeMms(db: Db, maxBytes: number): Promise<void> {
  for (;;) {
    const found = await db.transaction(async (tx) => {
      const large = await lockLargeMms(tx, maxBytes)
      if (large.length === 0) return 0
      const ids = large.map(({ message }) => message)
      await queries(tx)
        .updateTable('sms_dispatch')
        .set({ refused: REASONS.filesTooLarge })
        .where('message', 'in', ids)
        .execute()
      await cancelIfRefused(tx, sql`select unnest(${ids}::text[])`)
      return large.length
    })
    if (found < MAX_ROWS) return
  }
}

const lockLargeMms = (db: Db, maxBytes: number) =>
  // not prepared: a plan for other numbers of files would look at each message of the queue
  queries(db, 'planned')
    .selectFrom('sms_dispatch as d')
    .innerJoin('sms_messages as m', 'm.id', 'd.message')
    .select('d.message')
    .where('m.segments', '=', sql.lit(0))
    .where('d.refused', '=', sql.lit(''))
    .where('d.message', 'in', ({ selectFrom }) =>
      selectFrom('_files')
        .select('record')
        .where('collection', '=', sql.lit(MESSAGE_COLLECTION))
        .where('thumb', '=', sql.lit(''))
        .groupBy('record')
        .having(sql`sum(size)`, '>', maxBytes),
    )
    .orderBy('d.message')
    .limit(sql.lit(MAX_ROWS))
    .forUpdate('d')
    .execute()
