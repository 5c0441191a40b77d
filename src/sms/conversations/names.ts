import type { Db } from '../../db/open.ts'

const LACKS_TRIGGERS = `
select 1 where to_regclass('contacts') is not null and to_regclass('conversations') is not null and not exists (
  select from pg_trigger where tgrelid = to_regclass('contacts') and tgname = 'conversation_delete')`

/**
 * Has contacts keep the names of conversations: when this version is new to the database, and when the
 * collection of contacts was made anew.
 */
export async function nameConversations(db: Db): Promise<void> {
  const { rows } = await db.query(LACKS_TRIGGERS)
  if (rows.length > 0) await db.transaction((tx) => tx.query('select sms_conversation_triggers()'))
}
