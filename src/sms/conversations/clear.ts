import type { Db } from '../../db/open.ts'

const CLEAR = `
update conversations set last_text = '' where id = any(array(
  select id from conversations where last_message = any($1::text[]) and last_message <> '' and last_text <> ''
  order by "user", number for update
)) returning id`

/** Takes the texts of deleted or redacted messages out of their conversations; answers which have changed. */
export async function clearLastTexts(db: Db, messages: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(CLEAR, [messages], 'clear last texts')
  return rows.map(([id]) => String(id))
}
