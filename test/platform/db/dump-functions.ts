import type { Db } from '../../../src/platform/db/open.ts'
import { TYPES } from './dump-tables.ts'

/** Functions of Postgres that the server calls as it calls its own. */
const BUILT_IN = ['pg_notify', 'set_config']

/**
 * A row per argument and column; a function without any has one row. Immutable functions and those of
 * triggers are used within statements only, and a name with several meanings has no one signature.
 */
const FUNCTIONS = `
select p.proname, a.kind, a.name, coalesce(e.typname, t.typname), e.oid is not null,
  coalesce(re.typname, r.typname), re.oid is not null,
  p.proretset or p.prorettype = 'record'::regtype
from pg_proc p
join pg_type r on r.oid = p.prorettype
left join pg_type re on r.typcategory = 'A' and re.oid = r.typelem
left join lateral unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes::text[])
  with ordinality a(type, name, kind, n) on true
left join pg_type t on t.oid = a.type
left join pg_type e on t.typcategory = 'A' and e.oid = t.typelem
where p.prokind = 'f' and r.typname <> 'trigger'
  and (p.pronamespace = current_schema()::regnamespace and p.provolatile <> 'i' or p.proname = any($1))
  and not p.proargtypes::oid[] && array['anyarray'::regtype::oid, 'record'::regtype::oid]
  and not exists (select from pg_proc o where o.proname = p.proname and o.oid <> p.oid)
order by p.proname collate "C", a.n`

/** Signatures for `callFunction` and `callFunctionRows`. Throws for a type without a row in TYPES. */
export async function dumpFunctions(db: Db): Promise<string> {
  const [scalars, tables] = [new Map<string, string>(), new Map<string, string>()]
  const { rows } = await db.query(FUNCTIONS, [BUILT_IN])
  for (const [name, parts] of Map.groupBy(rows, ([name]) => String(name))) {
    const list = (wanted: boolean) =>
      parts
        .filter(([, kind, , type]) => type !== null && (kind === null || kind === 'i') === wanted)
        .map(([, , part, type, isList], i) => `${part ?? `arg${i + 1}`}: ${typeOf(type, isList)}`)
    const [, , , , , result, isListOfResults, isTable] = parts[0]!
    const columns = list(false).join('; ') || `${name}: ${typeOf(result, isListOfResults)}`
    const returned = isTable ? `{ ${columns} }` : typeOf(result, isListOfResults)
    ;(isTable ? tables : scalars).set(name, `  ${name}: (${list(true).join(', ')}) => ${returned}`)
  }
  return [
    '// generated from the schema by `npm run schema`\n// biome-ignore-all format: a signature a line\n',
    '/** Functions with one result, for `callFunction`. */',
    `export interface Functions {\n${[...scalars.values()].join('\n')}\n}\n`,
    '/** Functions with rows, for `callFunctionRows`. */',
    `export interface TableFunctions {\n${[...tables.values()].join('\n')}\n}\n`,
  ].join('\n')
}

function typeOf(sqlType: unknown, isList: unknown): string {
  const type = sqlType === 'void' ? 'void' : TYPES[String(sqlType)]
  if (!type) throw new Error(`${sqlType} has no row in TYPES`)
  return isList ? `readonly ${type}[]` : type
}
