import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type Erasing, erasePlace } from './erase-place.ts'
import type { Place, Texts } from './place.ts'

/**
 * Erases the rows of a person in some places, in a transaction, and adds their number to the counts of the
 * request. `texts`: the texts whose places are erased.
 */
export async function erasePlaces(
  { request, ...erasing }: Omit<Erasing, 'texts'> & { readonly request: string },
  places: readonly Place[],
  texts: Texts = sql`'{}'::text[]`,
): Promise<void> {
  const counts: Record<string, number> = {}
  for (const place of places) {
    const rows = await erasePlace({ ...erasing, texts }, place)
    if (rows > 0) counts[place.table] = rows
  }
  if (Object.keys(counts).length > 0) await addCounts(erasing.store.db, request, counts)
}

/** Adds to the counts of the request, in the transaction that erases. */
async function addCounts(db: Db, request: string, more: Readonly<Record<string, number>>): Promise<void> {
  const { counts } = await queries(db)
    .selectFrom('person_requests')
    .select('counts')
    .where('id', '=', request)
    .executeTakeFirstOrThrow()
  const sum: Record<string, number> = JSON.parse(counts ?? 'null') ?? {}
  for (const [table, rows] of Object.entries(more)) sum[table] = (sum[table] ?? 0) + rows
  // subscribers get them with the progress
  await queries(db)
    .updateTable('person_requests')
    .set({ counts: JSON.stringify(sum) })
    .where('id', '=', request)
    .execute()
}
