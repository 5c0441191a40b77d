import { type Field, isMulti } from '../../fields/field.ts'
import { parseJson } from '../../tools/json.ts'
import { columnName, quote } from '../names.ts'
import { type SqlToken, sqlText, sqlTokens, unquoted } from './sql-tokens.ts'

/** A token with the field that it names and its translation. */
interface Piece extends SqlToken {
  readonly field: Field | undefined
  put: string
}

const EQUALITY = new Set(['=', '==', '!=', '<>'])
const COMPARISONS = new Set([...EQUALITY, '<', '<=', '>', '>='])
const AFTER_IS = new Set(['null', 'true', 'false', 'distinct', 'unknown'])
const NUMERAL = /^\s*[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i
const JSON_PATH = /^'\$\.([\w.]+)'$/

const isJson = ({ type }: Field) => type === 'json' || type === 'geoPoint'
const bare = (field: Field) => quote(columnName(field.name))
const isWord = (piece: Piece | undefined, word: string) =>
  piece?.kind === 'word' && piece.text.toLowerCase() === word

/** JSON compares as text, as in SQLite. */
const column = (field: Field) => bare(field) + (isJson(field) ? '::text collate "C"' : '')

function pieceOf(token: SqlToken, fields: readonly Field[]): Piece {
  const { kind, text } = token
  const name = kind === 'name' ? unquoted(text) : kind === 'word' ? text : undefined
  const field = fields.find((one) => one.name.toLowerCase() === name?.toLowerCase())
  const other = kind === 'name' ? sqlText(unquoted(text)) : text === '==' ? '=' : text
  return { ...token, field, put: field ? column(field) : other }
}

/** The content of a text in any quotes; undefined for other tokens. */
function textOf(piece: Piece | undefined): string | undefined {
  if (piece?.kind === 'text') return piece.text.slice(1, -1).replaceAll("''", "'")
  return piece?.kind === 'name' && !piece.field ? unquoted(piece.text) : undefined
}

/** SQLite sorts texts after numbers: `n != ''` becomes `n != 'NaN'`, `flag != ''` `flag::int != 2`. */
function numberTest([left, sign, second, third]: readonly Piece[]): void {
  const type = left?.field?.type
  if (type !== 'number' && type !== 'bool') return
  if (!COMPARISONS.has(sign?.text ?? '') && !isWord(sign, 'is')) return
  const right = isWord(second, 'not') ? third : second
  const text = textOf(right)
  if (text === undefined || NUMERAL.test(text)) return
  if (type === 'bool') left!.put += '::int'
  right!.put = type === 'bool' ? '2' : sqlText('NaN')
}

/** `flag = 1` becomes `flag = true`. */
function boolTest([left, sign, right]: readonly Piece[]): void {
  if (left?.field?.type !== 'bool' || !EQUALITY.has(sign?.text ?? '')) return
  if (right?.text === '0' || right?.text === '1') right.put = String(right.text === '1')
}

/** A JSON list of texts as a Postgres array; anything else as an array that no column holds. */
function arrayText(json: string): string {
  const list = parseJson(json)
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) return '{NULL}'
  return `{${list.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Lists are JSON in SQLite: `tags != '[]'` becomes `tags != '{}'`. */
function listTest([left, sign, right]: readonly Piece[]): void {
  if (!left?.field || !isMulti(left.field) || !EQUALITY.has(sign?.text ?? '')) return
  const text = textOf(right)
  if (text !== undefined) right!.put = sqlText(arrayText(text))
}

/** `a IS 'x'` is a comparison in SQLite; Postgres' `IS` takes only null and bools. */
function isTest([is, second, third]: readonly Piece[]): void {
  if (!is || !isWord(is, 'is')) return
  const not = isWord(second, 'not')
  const value = not ? third : second
  if (value?.kind === 'word' && AFTER_IS.has(value.text.toLowerCase())) return
  is.put = not ? 'IS DISTINCT FROM' : 'IS NOT DISTINCT FROM'
  if (not && second) second.put = ''
}

/** `json_extract(data, '$.a.b')` becomes `(data #>> '{a,b}')`. */
function jsonExtract([name, open, json, comma, path, close]: readonly Piece[]): void {
  const steps = JSON_PATH.exec(path?.text ?? '')?.[1]
  if (!isWord(name, 'json_extract') || !json?.field || !isJson(json.field) || !steps || close?.text !== ')')
    return
  name!.put = ''
  open!.put = '('
  json.put = bare(json.field)
  comma!.put = ' #>> '
  path!.put = sqlText(`{${steps.replaceAll('.', ',')}}`)
}

/** Translates an expression of a SQLite index: names in any quotes and case, texts, functions. */
export function translateExpression(sql: string, fields: readonly Field[]): string {
  const pieces = sqlTokens(sql).map((token) => pieceOf(token, fields))
  const solid = pieces.filter(({ kind }) => kind !== 'blank')
  for (let i = 0; i < solid.length; i++) {
    const rest = solid.slice(i, i + 6)
    numberTest(rest)
    boolTest(rest)
    listTest(rest)
    isTest(rest)
    jsonExtract(rest)
  }
  return pieces.map(({ put }) => put).join('')
}
