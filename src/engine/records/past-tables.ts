import type { Catalog, Past } from '../collections/catalog.ts'
import { quoteSqlText } from '../collections/from-sqlite/sql-tokens.ts'
import { toTableName } from '../collections/sql-names.ts'
import { columnsOf } from './record-row.ts'

/**
 * CTEs with the names of these tables, whose rows are as they were at a moment in a transaction. Changes by
 * statements that log no row before them count as made earlier. `write` writes a value as SQL.
 */
export function writePastTables(
  catalog: Catalog,
  tables: readonly string[],
  { xid, position }: Past,
  write: (value: string, type: string) => string,
): string[] {
  return catalog.all
    .filter((one) => one.type !== 'view' && tables.includes(toTableName(one)))
    .map((one) => {
      const { table } = columnsOf(one)
      const later = `c.xid = ${write(String(xid), 'text')}::xid8 and c.collection = ${write(one.id, 'text')}
        and c.position >= ${write(String(position), 'bigint')}`
      return `${table} as not materialized (
        select t.* from ${table} t where not exists (select 1 from _changes c where ${later} and c.record = t."id")
        union all select r.* from (
          select distinct on (c.record) c.action,
            case c.action when 'update' then coalesce(c.former, c.image) else c.image end as image
          from _changes c where ${later} order by c.record, c.position
        ) c cross join lateral json_populate_record(null::${table}, c.image) r where c.action <> 'create')`
    })
}

/** A statement whose tables are as they were at a moment in a transaction. */
export const writeInPast = (
  catalog: Catalog,
  text: string,
  tables: readonly string[],
  past: Past,
): string => {
  const literal = (value: string, type: string) => `${quoteSqlText(value)}::${type}`
  const ctes = writePastTables(catalog, tables, past, literal)
  return ctes.length > 0 ? `with ${ctes.join(',\n')} ${text}` : text
}
