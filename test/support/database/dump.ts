import { loadTables } from '../../../src/engine/transfer/tables.ts'
import type { Db } from '../../../src/platform/db/open.ts'

/** The tables with a row whose text has one of these words. */
export async function tablesWith(db: Db, words: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await loadTables(db)) {
    const has = `with rows as materialized (select t::text as text from "${name}" t)
      select exists (select from rows, unnest($1::text[]) w where strpos(text, w) > 0)`
    if ((await db.query(has, [words])).rows[0]![0]) found.push(name)
  }
  return found
}
