import { type Selectable, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { noteChanges } from '../../engine/records/log-changes.ts'
import { queries } from '../../platform/db/queries.ts'
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
  /** What to note about a body that was sent all the same. */
  readonly note?: string
}

/** Stores a call of a hook, and deletes older ones. Of a call that would text an erased person, no words. */
export async function noteCall(
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
    sql<string>`case when person_stopped(${user}, ${phones}::text[]) = '{}' then ${value} else ${empty} end`
  await queries(db)
    .with('written', (query) =>
      query
        .insertInto('hook_calls')
        .values({
          id: sql`pb_new_id()`,
          hook: id,
          user,
          outcome,
          body: unlessErased(kept),
          error: unlessErased(error),
          texts: sql`${unlessErased(JSON.stringify(texts), '[]')}::json`,
          messages: JSON.stringify(messages),
          created: sql`pb_text(clock_timestamp())`,
        })
        .returning('id'),
    )
    .with('old', (query) =>
      query
        .deleteFrom('hook_calls')
        .where('hook', '=', id)
        .where('_rowid', '<=', ({ selectFrom }) =>
          selectFrom('hook_calls')
            .select('_rowid')
            .where('hook', '=', id)
            .orderBy('_rowid', 'desc')
            .offset(sql.lit(CALLS_KEPT - 1))
            .limit(sql.lit(1)),
        ),
    )
    .with('noted', noteChanges('create', 'hook_calls', 'ids'))
    .selectFrom('written')
    .execute()
}
