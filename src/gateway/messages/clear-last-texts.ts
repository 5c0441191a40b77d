import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, matchAnyFound, queries } from '../../platform/db/queries.ts'

/** Removes the texts of deleted or redacted messages from conversations. Returns the conversations' ids. */
export async function clearLastTexts(db: Db, messages: readonly string[]): Promise<string[]> {
  const cleared = await queries(db)
    .updateTable('conversations')
    .set({ last_text: '', failure: '' })
    .where('id', '=', ({ selectFrom }) =>
      matchAnyFound(
        selectFrom('conversations')
          .select('id')
          .where('last_message', '=', matchAny(messages))
          .where('last_message', '<>', sql.lit(''))
          .where('last_text', '<>', '')
          .orderBy('user')
          .orderBy('number')
          .forUpdate(),
      ),
    )
    .returning('id')
    .execute()
  return cleared.map(({ id }) => id)
}
