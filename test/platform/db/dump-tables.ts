import type { Store } from '../../../src/engine/collections/catalog.ts'
import { isMulti } from '../../../src/engine/fields/field.ts'
import { isSelectField } from '../../../src/portable/select-values.ts'

const COLUMNS = `
select c.relname, a.attname, a.attndims > 0 or t.typcategory = 'A', coalesce(b.typname, e.typname, t.typname),
  not (a.attnotnull or t.typnotnull), a.atthasdef or a.attidentity <> '' or t.typdefault is not null
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
left join pg_type b on b.oid = nullif(t.typbasetype, 0)
left join pg_type e on t.typcategory = 'A' and e.oid = t.typelem
where c.relkind in ('r', 'v') and c.relnamespace = current_schema()::regnamespace
order by c.relname collate "C", a.attname collate "C"`

/** How values of a type arrive from the driver: see Session.query. */
export const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'string',
  numeric: 'string',
  oid: 'number',
  regclass: 'string',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
  xid: 'string',
  xid8: 'string',
}

export const nameOf = (name: string) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : `'${name}'`)

const NAMES = `
select relname from pg_class where relkind in ('r', 'c') and relnamespace = current_schema()::regnamespace
union select typname from pg_type where typtype = 'd' and typnamespace = current_schema()::regnamespace
order by 1`

/** Taken in PocketBase, too. */
const TAKEN = ['_collections', '_migrations', '_params']

/** The tables as types for kysely, and names of no collection. Throws for a type without a row above. */
export async function dumpTables({ db, catalog }: Store): Promise<string> {
  const names = (await db.query(NAMES)).rows
    .map(([name]) => String(name))
    .filter((name) => !TAKEN.includes(name) && !catalog.find(name))
  const tables = new Map<string, string[]>()
  for (const row of (await db.query(COLUMNS)).rows) {
    const [table, column, isList, sqlType, isNullable, hasDefault] = row as [
      string,
      string,
      boolean,
      string,
      boolean,
      boolean,
    ]
    const type = TYPES[sqlType]
    if (!type)
      throw new Error(`${table}.${column} is of type ${sqlType}, which has no row in TYPES`)
    const value =
      optionsOf(catalog, table, column) ??
      `${type}${isList ? '[]' : ''}${isNullable ? ' | null' : ''}`
    const lines = tables.get(table) ?? []
    tables.set(table, lines)
    lines.push(hasDefault ? generated(nameOf(column), value) : `  ${nameOf(column)}: ${value}`)
  }
  const types = [...tables].map(
    ([name, lines]) => `interface ${typeName(name)} {\n${lines.join('\n')}\n}\n`,
  )
  const all = [...tables.keys()].map((name) => `  ${nameOf(name)}: ${typeName(name)}`)
  return [
    '// generated from the schema by `npm run schema`\n',
    `import type { Generated } from 'kysely'\nimport type { SelectValue } from '../../portable/select-values.ts'\n`,
    ...types,
    '/** The tables and views of the schema: columns as they arrive, and what an insert may leave out. */',
    `export interface Tables {\n${all.join('\n')}\n}\n`,
    '/** Tables and types that are no collections. */',
    `export const NO_COLLECTIONS: ReadonlySet<string> = new Set([\n${names.map((name) => `  '${name}',\n`).join('')}])\n`,
  ].join('\n')
}

const MAX_WIDTH = 100

/** The line of a column with a default, or its lines as biome formats a long one. */
function generated(name: string, value: string): string {
  const line = `  ${name}: Generated<${value}>`
  if (line.length <= MAX_WIDTH) return line
  const inner = `    ${value}`
  const lines =
    inner.length <= MAX_WIDTH ? [inner] : value.split(' | ').map((one) => `    | ${one}`)
  return [`  ${name}: Generated<`, ...lines, '  >'].join('\n')
}

/** The values of a field that takes one of a few; undefined for any other column. '' means none of them. */
function optionsOf(catalog: Store['catalog'], table: string, column: string): string | undefined {
  const field = catalog.find(table)?.fields.find(({ name }) => name === column)
  if (field?.type !== 'select' || isMulti(field)) return undefined
  const listed = `${table}.${column}`
  const values = isSelectField(listed)
    ? [`SelectValue<'${listed}'>`]
    : field.values.map((value) => `'${value}'`)
  return [...(field.required ? [] : ["''"]), ...values].join(' | ')
}

const typeName = (table: string) =>
  `${table.replace(/(?:^|_+)([a-z0-9])/g, (_, first) => first.toUpperCase())}Row`
