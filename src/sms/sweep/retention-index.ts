import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'

type Mode = Config['retention']['mode']

const ENDED = `status not in ('pending', 'assigned', 'sending')`

/** Of messages that have ended, those in which there is still something to be taken away. */
export const HAS_CONTENT_SQL: Readonly<Record<Mode, string>> = {
  redact: `${ENDED} and body <> ''`,
  delete: `${ENDED} and (client_ref = '' or "to" <> '')`,
}

const NAMES: Readonly<Record<Mode, string>> = { redact: 'sms_messages_redact', delete: 'sms_messages_delete' }
const STATE = `
select i.indisvalid, exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
from pg_index i where i.indexrelid = to_regclass($1)`

/** Creates the index for retention concurrently. False while another node does it. */
export async function makeRetentionIndex(db: Db, mode: Mode): Promise<boolean> {
  const drop = (name: string) => db.unhurried(`drop index concurrently if exists ${name}`)
  const name = NAMES[mode]
  const other = NAMES[mode === 'redact' ? 'delete' : 'redact']
  if (await stateOf(db, other)) await drop(other)
  const state = await stateOf(db, name)
  if (state === 'valid' || state === 'being made') return state === 'valid'
  const definition = `on sms_messages (updated) where ${HAS_CONTENT_SQL[mode]}`
  if (state === 'left') await drop(name)
  // of two nodes that come here at once, one waits for the other and finds it made
  await db.unhurried(`create index concurrently if not exists ${name} ${definition}`)
  return true
}

async function stateOf(db: Db, name: string): Promise<'valid' | 'being made' | 'left' | undefined> {
  const { rows } = await db.query(STATE, [name])
  if (!rows[0]) return undefined
  const [isValid, isBeingMade] = rows[0]
  return isValid ? 'valid' : isBeingMade ? 'being made' : 'left'
}
