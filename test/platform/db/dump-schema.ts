import type { Db } from '../../../src/platform/db/open.ts'

// Queries of the current schema. Each returns lines of SQL in order, the same on every version of Postgres.

const DOMAINS = `
select format(E'create domain %s as %s%s%s%s;\\n', t.typname, format_type(t.typbasetype, t.typtypmod),
  case when t.typcollation <> 0 then ' collate ' || t.typcollation::regcollation end,
  ' default ' || t.typdefault, case when t.typnotnull then ' not null' end)
from pg_type t where t.typtype = 'd' and t.typnamespace = current_schema()::regnamespace order by t.typname collate "C"`

const TYPES = `
select format(E'create type %I as (\\n%s\\n);\\n', c.relname, (
  select string_agg(format('  %I %s', a.attname, format_type(a.atttypid, a.atttypmod)), E',\\n' order by a.attnum)
  from pg_attribute a where a.attrelid = c.oid
))
from pg_class c where c.relkind = 'c' and c.relnamespace = current_schema()::regnamespace order by c.relname collate "C"`

const COLUMN = `
  format('  %I %s', a.attname, format_type(a.atttypid, a.atttypmod))
  || coalesce(' collate ' || (select a.attcollation::regcollation::text where a.attcollation <> t.typcollation), '')
  || case a.attidentity::text when 'a' then ' generated always as identity' else '' end
  || case when a.attnotnull then ' not null' else '' end
  || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
  || case when a.attstorage <> t.typstorage then ' /* storage ' || a.attstorage::text || ' */' else '' end`

const TABLES = `
select format(E'create table %I (\\n%s\\n)%s;\\n%s', c.relname,
  (
    select string_agg(line, E',\\n' order by rank, place, line collate "C") from (
      select 1 as rank, a.attnum as place, ${COLUMN} as line
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 2, 0, format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid, true))
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
    ) lines
  ),
  ' with (' || array_to_string(c.reloptions, ', ') || ')',
  (
    select string_agg(line, '' order by rank, line collate "C") from (
      select 1 as rank, pg_get_indexdef(i.indexrelid, 0, true) || E';\\n' as line from pg_index i
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype <> 'f')
      union all
      select 2, pg_get_triggerdef(t.oid, true) || E';\\n' from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
    ) lines
  ))
from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by c.relname collate "C"`

const VIEWS = `
select format(E'create view %I (\\n%s\\n);\\n', c.relname, (
  select string_agg(format('  %I %s', a.attname, format_type(a.atttypid, a.atttypmod)), E',\\n' order by a.attnum)
  from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
))
from pg_class c where c.relkind = 'v' and c.relnamespace = current_schema()::regnamespace order by c.relname collate "C"`

const OPERATORS = `
select format('create operator %s (%s, %s): %s', o.oprname, o.oprleft::regtype, o.oprright::regtype, o.oprcode)
from pg_operator o where o.oprnamespace = current_schema()::regnamespace
order by o.oid::regoperator::text collate "C"`

const FUNCTIONS = `
select format('create %s %s(%s)%s%s%s%s', case p.prokind when 'a' then 'aggregate' else 'function' end, p.proname,
  pg_get_function_arguments(p.oid), ' returns ' || pg_get_function_result(p.oid),
  case when p.prokind = 'f' then ' ' || (array['immutable', 'stable', 'volatile'])[strpos('isv', p.provolatile::text)] end,
  case when p.proisstrict and p.prokind = 'f' then ' strict' end, ' set ' || array_to_string(p.proconfig, ', '))
from pg_proc p where p.pronamespace = current_schema()::regnamespace
order by p.oid::regprocedure::text collate "C"`

/** Headings of the dump, each with the query of its lines. */
const PARTS = [
  ['Domains', DOMAINS],
  ['Types', TYPES],
  ['Tables with their indexes and triggers, those of built-in collections too', TABLES],
  ['Views: their queries are in sql/migrations', VIEWS],
  ['Operators', OPERATORS],
  ['Functions: their definitions are in sql/functions', FUNCTIONS],
] as const

/**
 * The schema of a database as readable SQL: tables with indexes and triggers, views, signatures of functions.
 */
export async function dumpSchema(db: Db): Promise<string> {
  const parts = []
  for (const [heading, query] of PARTS) {
    const { rows } = await db.query(query)
    parts.push(`-- ${heading}\n\n${rows.map(([text]) => text).join('\n')}`)
  }
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`
}
