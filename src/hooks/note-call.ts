import type { Store } from '../collections/catalog.ts'
import { cleanText } from '../fields/cast.ts'
import { changeLogCte } from '../records/record-sql.ts'
import type { Hook } from './hook.ts'

/** Maximum characters of a call's body that are stored. */
const MAX_KEPT = 65_536
const CALLS_KEPT = 10

const NOTE = `
with written as (
  insert into hook_calls (id, hook, "user", body, outcome, error, texts, messages, created)
  values (pb_new_id(), $1, $2, $3, $4, $5, $6::json, $7::json, pb_text(clock_timestamp())) returning id
), old as (
  delete from hook_calls where hook = $1 and _rowid <= (
    select c._rowid from hook_calls c where c.hook = $1 order by c._rowid desc offset ${CALLS_KEPT - 1} limit 1)
), ${changeLogCte('written', 'create', 'hook_calls')}
select from written`

interface NotedCall {
  readonly outcome: string
  readonly texts?: readonly object[]
  readonly messages?: readonly string[]
  readonly refusal?: Error
  /** What to note about a body that was sent all the same. */
  readonly note?: string
}

/** Stores a call of a hook, and deletes older ones. */
export async function noteCall(
  { db }: Store,
  { id, user, kind }: Hook,
  raw: string,
  call: NotedCall,
): Promise<void> {
  const { outcome, refusal, messages = [] } = call
  const kept = kind === 'codes' ? '' : cleanText(raw.slice(0, MAX_KEPT))
  const lists = [call.texts ?? [], messages].map((list) => JSON.stringify(list))
  const error = cleanText(refusal?.message ?? call.note ?? '')
  await db.query(NOTE, [id, user, kept, outcome, error, ...lists], 'hook note')
}
