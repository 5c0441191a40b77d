import type { Db } from '../open.ts'
import { indexOfPartition, suffixOf } from './names.ts'

/** Quotes a name of ours or of the catalog. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const OPTIONS = `select array_to_string(reloptions, ', ') from pg_class where oid = to_regclass(quote_ident($1))`
/** In the order in which they were made: of several unique indexes Postgres names the oldest. */
const INDEXES = `
select c.relname, pg_get_indexdef(i.indexrelid), pg_get_constraintdef(k.oid), i.indisunique
from pg_index i join pg_class c on c.oid = i.indexrelid
left join pg_constraint k on k.conindid = i.indexrelid and k.conrelid = i.indrelid and k.contype in ('p', 'u')
where i.indrelid = to_regclass(quote_ident($1)) and i.indisvalid order by i.indexrelid`

/** An index of a table. */
export interface TableIndex {
  readonly name: string
  /** The statement that makes it, from `using` on. */
  readonly definition: string
  /** The constraint that it serves, as SQL describes it. */
  readonly constraint: string | undefined
  readonly isUnique: boolean
}

/** The valid indexes of a table. */
export async function indexesOf(db: Db, table: string): Promise<TableIndex[]> {
  const { rows } = await db.query(INDEXES, [table])
  return rows.map(([name, sql, constraint, isUnique]) => ({
    name: String(name),
    definition: String(sql).replace(/^CREATE (UNIQUE )?INDEX .*? ON (ONLY )?\S+ USING /, 'USING '),
    constraint: constraint === null ? undefined : String(constraint),
    isUnique: isUnique === true,
  }))
}

/** The SQL of an index of `table` with another name. */
export function indexSql(index: TableIndex, name: string, table: string): string {
  if (index.constraint)
    return `alter table ${quoted(table)} add constraint ${quoted(name)} ${index.constraint}`
  const kind = index.isUnique ? 'unique index' : 'index'
  return `create ${kind} ${quoted(name)} on ${quoted(table)} ${index.definition}`
}

/**
 * Makes an empty table with the columns, indexes and storage parameters of another one, which may become a
 * partition beside it. Its `_rowid` comes from the partitioned table.
 */
export async function makeLike(db: Db, model: string, name: string): Promise<void> {
  const { rows } = await db.query(OPTIONS, [model])
  const options = rows[0]?.[0] ? `with (${rows[0][0]})` : ''
  await db.script(
    `create table ${quoted(name)} (like ${quoted(model)} including defaults including storage) ${options}`,
  )
  await makeIndexesLike(db, model, name)
}

/** Gives a table the indexes of another one that it lacks. */
async function makeIndexesLike(db: Db, model: string, name: string): Promise<void> {
  for (const index of await indexesOf(db, model))
    await db.script(indexSql(index, indexOfPartition(index.name, suffixOf(name)), name))
}

const TIMED = (from: string, to: string) =>
  `created is not null and created >= '${from}' and created < '${to}'`

/** Attaches a table as the partition from one `created` to another. What the table holds must lie there. */
export async function attach(
  tx: Db,
  table: string,
  partition: string,
  from: string,
  to: string,
): Promise<void> {
  const other = `${table}_other`
  const range = TIMED(from, to)
  const { rows } = await tx.query(`select exists (select from ${quoted(other)} where ${range})`)
  if (rows[0]![0] === true) await moveRows(tx, other, partition, range)
  await tx.script(
    `alter table ${quoted(table)} attach partition ${quoted(partition)} for values from ('${from}') to ('${to}')`,
  )
}

/** Moves rows between tables without what follows from a change of a row: none changes. */
async function moveRows(tx: Db, from: string, to: string, condition: string): Promise<void> {
  await tx.script(`alter table ${quoted(from)} disable trigger user`)
  await tx.script(
    `with moved as (delete from ${quoted(from)} where ${condition} returning *)
     insert into ${quoted(to)} select * from moved`,
  )
  await tx.script(`alter table ${quoted(from)} enable trigger user`)
}
