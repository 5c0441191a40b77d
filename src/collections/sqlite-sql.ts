import type { Field } from '../fields/field.ts'
import type { Catalog } from './catalog.ts'
import { columnName, quote } from './names.ts'

type Kind = 'text' | 'name' | 'word' | 'number' | 'mark' | 'blank'
interface Token {
  readonly kind: Kind
  readonly text: string
}

const TOKENS =
  /(?<text>'(?:[^']|'')*')|(?<name>`[^`]*`|"(?:[^"]|"")*"|\[[^\]]*\])|(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<number>\d+(?:\.\d+)?)|(?<word>[A-Za-z_]\w*)|(?<mark>==|!=|<>|<=|>=|\|\||[\s\S])/g

function tokens(sql: string): Token[] {
  return [...sql.matchAll(TOKENS)].map((match) => {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    return { kind: kind as Kind, text: match[0] }
  })
}

const inner = (name: string) => name.slice(1, -1).replaceAll('""', '"')
const text = (value: string) => `'${value.replaceAll("'", "''")}'`
const equalFold = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** SQLite keeps JSON as text. */
const AS_TEXT = '::text collate "C"'
const isJson = ({ type }: Field) => type === 'json' || type === 'geoPoint'

const JSON_PATH = /json_extract\s*\(\s*("(?:[^"]|"")+")::text collate "C"\s*,\s*'\$\.([\w.]+)'\s*\)/gi
const BOOL_TEST = (column: string) =>
  new RegExp(`(${RegExp.escape(column)}\\s*(?:=|!=|<>)\\s*)([01])\\b`, 'g')
const IS_VALUE = /\bIS\s+(NOT\s+)?(?!(NOT\s+)?(NULL|TRUE|FALSE|DISTINCT|UNKNOWN)\b)/gi

/**
 * An expression of an index (SQLite) as Postgres reads it: names of fields in any quotes and any case, text in double
 * quotes that names no field, `==`, `IS 'x'`, bools compared with 0 and 1, `json_extract`. Anything else is left as it
 * is: Postgres decides.
 */
export function translateExpression(sql: string, fields: readonly Field[]): string {
  const field = (name: string) => fields.find((one) => equalFold(one.name, name))
  const column = (name: string) => {
    const found = field(name)
    return found && quote(columnName(found.name)) + (isJson(found) ? AS_TEXT : '')
  }
  const put = tokens(sql).map((token) => {
    if (token.kind === 'word') return column(token.text) ?? token.text
    if (token.kind === 'name') return column(inner(token.text)) ?? text(inner(token.text))
    return token.text === '==' ? '=' : token.text
  })
  const bools = fields.filter((one) => one.type === 'bool').map((one) => quote(columnName(one.name)))
  return bools
    .reduce(
      (all, bool) => all.replace(BOOL_TEST(bool), (_, test, digit) => `${test}${digit === '1'}`),
      put.join(''),
    )
    .replace(JSON_PATH, (_, name, path: string) => `(${name} #>> ${text(`{${path.replaceAll('.', ',')}}`)})`)
    .replace(IS_VALUE, (_, not) => `IS ${not ? '' : 'NOT '}DISTINCT FROM `)
}

/** Plain names for SQLite, keywords for Postgres, which would read a value of its own or nothing at all. */
const POSTGRES_WORDS = new Set(
  `analyse any array asymmetric both current_catalog current_role current_user do end grant lateral leading localtime
  localtimestamp only overlaps placing session_user similar some symmetric trailing user variadic verbose`.split(
    /\s+/,
  ),
)

/**
 * A view's query with its names as Postgres reads them: other quotes become double ones, and bare names of
 * collections and fields are quoted where Postgres would fold their case or read a keyword. The rest of the query
 * must be Postgres' SQL already.
 */
export function translateQuery(sql: string, catalog: Catalog): string {
  const names = new Set(
    catalog.all.flatMap(({ name, fields }) => [name, ...fields.map((field) => field.name)]),
  )
  const needsQuotes = (word: string) => /[A-Z]/.test(word) || POSTGRES_WORDS.has(word)
  return tokens(sql)
    .map(({ kind, text }) => {
      if (kind === 'word') return names.has(text) && needsQuotes(text) ? quote(text) : text
      if (kind !== 'name') return text
      return inner(text) === '' ? "''" : quote(inner(text))
    })
    .join('')
}
