import { type Selectable, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import type { Hook } from './hook-settings.ts'

/** Maximum characters of a call's body that are stored. */
const MAX_KEPT = 65_536
const CALLS_KEPT = 10

interface NotedCall {
  readonly outcome: Selectable<Tables['hook_calls']>['outcome']
  readonly texts?: readonly { readonly to: string }[]
  readonly messages?: readonly string[]
  readonly refusal?: Error
  /** The fault to store of a body that did not prevent the text. */
  readonly note?: string
}

/** Stores a call of a hook, and deletes older ones. Of a call that would text an erased person, no words. */
export async function storeHookCall(
  { db }: Store,
  { id, user, kind }: Hook,
  raw: string,
  call: NotedCall,
): Promise<void> {
  const { outcome, refusal, messages = [], texts = [] } = call
  const kept = kind === 'codes' ? '' : cleanText(raw.slice(0, MAX_KEPT))
  const error = cleanText(refusal?.message ?? call.note ?? '')
  const phones = texts.map(({ to }) => to)
  const unlessErased = (value: string, empty = '') =>
    sql<string>`case when e.numbers = '{}' then ${value} else ${empty} end`
  await executeStatement(
    db,
    sql`with written as (
      insert into hook_calls (id, hook, "user", outcome, body, error, texts, messages, created)
      select pb_new_id(), ${id}, ${user}, ${outcome}, ${unlessErased(kept)}, ${unlessErased(error)},
        ${unlessErased(JSON.stringify(texts), '[]')}::json, ${JSON.stringify(messages)}::json,
        pb_text(clock_timestamp())
      from (select person_stopped(${user}, ${phones}::text[]) as numbers offset 0) e
      returning id
    ), old as (
      delete from hook_calls where hook = ${id} and _rowid <= (
        select _rowid from hook_calls where hook = ${id}
        order by _rowid desc offset ${sql.lit(CALLS_KEPT - 1)} limit 1)
    ), noted as ${logQuery('create', 'hook_calls', 'ids')}
    select from written`,
  )
}
