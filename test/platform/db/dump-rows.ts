import type { Db } from '../../../src/platform/db/open.ts'
import { nameOf, TYPES } from './dump-tables.ts'

const ATTRIBUTES = `
select t.typname, a.attname, coalesce(e.typname, f.typname), e.oid is not null, coalesce(e.typtype, f.typtype) = 'c'
from pg_type t
join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type f on f.oid = a.atttypid
left join pg_type e on f.typcategory = 'A' and e.oid = f.typelem
where t.typnamespace = current_schema()::regnamespace
order by t.typname collate "C", a.attnum`

/** The composite types for `writeRow`. Throws for a type without a row in TYPES. */
export async function dumpRows(db: Db): Promise<string> {
  const { rows } = await db.query(ATTRIBUTES)
  const types = Map.groupBy(rows, ([type]) => String(type))
  const typeOf = (name: string, isList: unknown, isRow: unknown) => {
    // a time is written as text, too
    const type = isRow ? 'RowText' : name === 'timestamptz' ? 'string' : TYPES[name]
    if (!type) throw new Error(`${name} has no row in TYPES`)
    return isList ? `readonly ${type}[]` : type
  }
  const interfaces = [...types].map(([type, fields]) => {
    const lines = fields.map(
      ([, name, of, isList, isRow]) =>
        `    readonly ${nameOf(String(name))}?: ${typeOf(String(of), isList, isRow)} | null | undefined\n`,
    )
    return `  ${type}: {\n${lines.join('')}  }\n`
  })
  const orders = [...types].map(
    ([type, fields]) => `  ${type}: [${fields.map(([, name]) => `'${name}'`).join(', ')}],\n`,
  )
  return [
    '// generated from the schema by `npm run schema`\n// biome-ignore-all format: a type a line\n',
    '/** A row as Postgres reads it from text: what `writeRow` returns. */\nexport type RowText = string\n',
    `/** The composite types, by their fields. A field that is left out is null. */\nexport interface Rows {\n${interfaces.join('')}}\n`,
    `/** The fields of composite types in their order. */\nexport const FIELDS: { readonly [T in keyof Rows]: readonly (keyof Rows[T])[] } = {\n${orders.join('')}}\n`,
  ].join('\n')
}
