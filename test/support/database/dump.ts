import { loadTables } from '../../../src/engine/transfer/tables.ts'
import type { Db } from '../../../src/platform/db/open.ts'

/** The tables with a row whose text has one of these words. */
export async function tablesWith(db: Db, words: readonly string[]): Promise<string[]> {
  const searches = (await loadTables(db)).map(
    ({ name }) => `select '${name}' where (
      with rows as materialized (select t::text as text from "${name}" t)
      select exists (select from rows, unnest($1::text[]) w where strpos(text, w) > 0))`,
  )
  const { rows } = await db.query(searches.join(' union all '), [words])
  return rows.map(([name]) => String(name))
}
