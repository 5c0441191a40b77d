import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'

type Mode = Config['retention']['mode']

const ENDED = `status not in ('pending', 'assigned', 'sending')`

/** Of messages that have ended, those in which there is still something to be taken away. */
export const OVER: Readonly<Record<Mode, string>> = {
  redact: `${ENDED} and body <> ''`,
  delete: `${ENDED} and (client_ref = '' or "to" <> '')`,
}

const NAMES: Readonly<Record<Mode, string>> = { redact: 'sms_messages_redact', delete: 'sms_messages_delete' }
const STATE = `
select i.indisvalid, exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
from pg_index i where i.indexrelid = to_regclass($1)`

/**
 * Makes the index by which a batch finds the oldest messages at once, whatever the history; a message leaves it with its text.
 * Only who has a retention pays for it. Made concurrently, since sends go on meanwhile; what a killed node has left
 * of one is made anew. False while another node makes it.
 */
export async function makeRetentionIndex(db: Db, mode: Mode): Promise<boolean> {
  const other = NAMES[mode === 'redact' ? 'delete' : 'redact']
  await db.query(`drop index if exists ${other}`)
  const name = NAMES[mode]
  const { rows } = await db.query(STATE, [name])
  const [isValid, isBeingMade] = rows[0] ?? [false, false]
  if (isValid || isBeingMade) return isValid === true
  const how = db.kind === 'postgres' ? 'concurrently' : ''
  await db.query(`drop index if exists ${name}`)
  await db.query(`create index ${how} ${name} on sms_messages (updated) where ${OVER[mode]}`)
  return true
}
