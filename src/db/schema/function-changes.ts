import { createHash } from 'node:crypto'
import type { Db } from '../open.ts'
import { type SqlFile, sqlFiles } from './sql-files.ts'

const MAKE_TABLE =
  'create table if not exists _functions (name text collate "C" primary key, checksum text collate "C" not null)'

const NOTE = `
insert into _functions (name, checksum) select * from unnest($1::text[], $2::text[])
on conflict (name) do update set checksum = excluded.checksum`

const OLD = `
select p.oid::regprocedure::text from pg_proc p
where p.pronamespace = current_schema()::regnamespace and p.proname = any($1)
  and p.xmin <> pg_current_xact_id()::xid
  and not exists (select from pg_depend d where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid)`

const FORGET = `
delete from _functions f where f.name = any($1) and not exists (
  select from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname = f.name)`

/**
 * Replaces changed functions before migrations refer to them. Returns their names, and those without a file.
 */
export async function applyFunctions(tx: Db) {
  await tx.script(MAKE_TABLE)
  const { rows } = await tx.query('select name, checksum from _functions')
  const applied = new Map(rows as [string, string][])
  const files = sqlFiles('functions')
  const changed = files.filter((file) => applied.get(file.name) !== checksumOf(file))
  const names = changed.map(({ name }) => name)
  if (changed.length > 0) {
    const all = changed.map(({ sql }) => sql).join('\n')
    await tx.script(`set local check_function_bodies = off; ${all}; set local check_function_bodies = on`)
    await tx.query(NOTE, [names, changed.map(checksumOf)])
  }
  const present = new Set(files.map(({ name }) => name))
  return { changed: names, gone: [...applied.keys()].filter((name) => !present.has(name)) }
}

type Changes = Awaited<ReturnType<typeof applyFunctions>>
/** Drops functions without a file, and changed ones with former arguments, unless a view still uses them. */
export async function dropOldFunctions(tx: Db, { changed, gone }: Changes): Promise<void> {
  if (changed.length === 0 && gone.length === 0) return
  const { rows } = await tx.query(OLD, [[...changed, ...gone]])
  for (const [signature] of rows) await tx.script(`drop function ${signature}`)
  await tx.query(FORGET, [gone])
}

const checksumOf = ({ sql }: SqlFile): string => createHash('sha256').update(sql).digest('hex')
