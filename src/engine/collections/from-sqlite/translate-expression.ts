import { parseJson } from '../../../platform/tools/json.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import { isStoredAsJson } from '../../fields/field-types.ts'
import { quoteName, toColumnName } from '../sql-names.ts'
import { quoteSqlText, type SqlToken, tokenizeSql, unquoteName } from './sql-tokens.ts'

interface Piece extends SqlToken {
  readonly field: Field | undefined
  put: string
}

const EQUALITY = new Set(['=', '==', '!=', '<>'])
const JSON_PATH = /^'\$\.([\w.]+)'$/

const quoteColumn = (field: Field) => quoteName(toColumnName(field.name))
const isWordToken = (piece: Piece | undefined, word: string) =>
  piece?.kind === 'word' && piece.text.toLowerCase() === word

/** SQL of a column. JSON is compared as text, as in SQLite. */
const writeColumn = (field: Field) =>
  quoteColumn(field) + (isStoredAsJson(field) ? '::text collate "C"' : '')

function translateToken(token: SqlToken, fields: readonly Field[]): Piece {
  const { kind, text } = token
  const name = kind === 'name' ? unquoteName(text) : kind === 'word' ? text : undefined
  const field = fields.find((one) => one.name.toLowerCase() === name?.toLowerCase())
  const other = kind === 'name' ? quoteSqlText(unquoteName(text)) : text === '==' ? '=' : text
  return { ...token, field, put: field ? writeColumn(field) : other }
}

/** Rewrites `flag = 1` to `flag = true`. */
function translateBoolTest([left, sign, right]: readonly Piece[]): void {
  if (left?.field?.type !== 'bool' || !EQUALITY.has(sign?.text ?? '')) return
  if (right?.text === '0' || right?.text === '1') right.put = String(right.text === '1')
}

/** Turns a JSON list of texts into a Postgres array. Other text becomes `{NULL}`, which no list equals. */
function writeArrayText(json: string): string {
  const list = parseJson(json)
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) return '{NULL}'
  return `{${list.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Rewrites `tags != '[]'` to `tags != '{}'`, because lists are JSON in SQLite and arrays in Postgres. */
function translateListTest([left, sign, right]: readonly Piece[]): void {
  if (!left?.field || !isMulti(left.field) || !EQUALITY.has(sign?.text ?? '')) return
  if (right?.kind === 'text')
    right.put = quoteSqlText(writeArrayText(right.text.slice(1, -1).replaceAll("''", "'")))
  else if (right?.kind === 'name' && !right.field)
    right.put = quoteSqlText(writeArrayText(unquoteName(right.text)))
}

/** Rewrites `json_extract(data, '$.a.b')` to `(data #>> '{a,b}')`. */
function translateJsonExtract([name, open, json, comma, path, close]: readonly Piece[]): void {
  const steps = JSON_PATH.exec(path?.text ?? '')?.[1]
  if (
    !isWordToken(name, 'json_extract') ||
    !json?.field ||
    !isStoredAsJson(json.field) ||
    !steps ||
    close?.text !== ')'
  )
    return
  name!.put = ''
  open!.put = '('
  json.put = quoteColumn(json.field)
  comma!.put = ' #>> '
  path!.put = quoteSqlText(`{${steps.replaceAll('.', ',')}}`)
}

/** Translates names, texts, bools, lists and JSON paths from SQLite. The rest must be valid in Postgres. */
export function translateExpression(sql: string, fields: readonly Field[]): string {
  const pieces = tokenizeSql(sql).map((token) => translateToken(token, fields))
  const solid = pieces.filter(({ kind }) => kind !== 'blank')
  for (let i = 0; i < solid.length; i++) {
    const rest = solid.slice(i, i + 6)
    translateBoolTest(rest)
    translateListTest(rest)
    translateJsonExtract(rest)
  }
  return pieces.map(({ put }) => put).join('')
}
