import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Person } from '../base/personal-data.ts'

/** Texts that one transaction erases, sent and received each. */
const PORTION = 200

/**
 * Locks some texts to and from a person, and returns their ids. Each way has an index of its own. With one
 * condition for both, each portion would read the texts that are erased already.
 */
export async function lockTexts(db: Db, { user, number }: Person): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('sms_messages as m')
    .select('m.id')
    .where(
      'm.id',
      '=',
      sql<string>`any(array(
        (select id from sms_messages where "user" = ${user} and "to" = ${number} and message_type = 'outgoing'
          order by _rowid limit ${sql.lit(PORTION)})
        union all
        (select id from sms_messages where "user" = ${user} and "from" = ${number} and "from" <> ''
          and message_type = 'incoming' limit ${sql.lit(PORTION)})))`,
    )
    .orderBy('m.id')
    .forUpdate()
    .execute()
  return found.map(({ id }) => id)
}
