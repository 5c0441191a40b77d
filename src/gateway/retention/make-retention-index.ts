import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { loadIndexStates } from '../../platform/db/schema/trigrams.ts'

export type Mode = Config['retention']['mode']

/** SQL: a message has content to delete. Leaves out the status: indexing that would prevent HOT updates. */
export const HAS_CONTENT_SQL: Readonly<Record<Mode, string>> = {
  redact: `body <> ''`,
  delete: `(client_ref = '' or "to" <> '')`,
}

export const OTHER_NUMBER_SQL = `(case when message_type = 'incoming' then "from" else "to" end)`

/** Columns of the indexes that retention uses, for the periods of accounts and for those of groups. */
const COLUMNS = {
  kinds: `"user", message_type, created`,
  people: `"user", ${OTHER_NUMBER_SQL}, created`,
} as const

/** Creates an index that retention uses, concurrently. False while another node builds it. */
export async function makeRetentionIndex(
  db: Db,
  mode: Mode,
  of: keyof typeof COLUMNS = 'kinds',
): Promise<boolean> {
  const drop = (name: string) => db.unhurried(`drop index concurrently if exists ${name}`)
  const nameFor = (mode: Mode) => `sms_messages_${of}_to_${mode}`
  const [name, other] = [nameFor(mode), nameFor(mode === 'redact' ? 'delete' : 'redact')]
  const states = await loadIndexStates(db, [name, other])
  if (states.get(other) !== 'missing') await drop(other)
  const state = states.get(name)
  if (state === 'ready' || state === 'building') return state === 'ready'
  const definition = `on sms_messages (${COLUMNS[of]}) where ${HAS_CONTENT_SQL[mode]}`
  if (state === 'partial') await drop(name)
  // `if not exists`: a second node waits for the first, then finds the index
  await db.unhurried(`create index concurrently if not exists ${name} ${definition}`)
  return true
}
