import { type Field, isMulti } from '../../fields/field.ts'
import { holdsJson } from '../../fields/field-types.ts'
import { parseJson } from '../../tools/json.ts'
import { splitTokens } from '../../tools/tokenize.ts'
import { columnName, quote } from '../catalog.ts'
import { type SqlToken, sqlText, sqlTokens, unquoted } from './sql-tokens.ts'

export interface IndexColumn {
  readonly name: string
  readonly collate: string
  readonly sort: '' | 'ASC' | 'DESC'
}

export interface IndexExpression {
  readonly schema: string
  readonly name: string
  readonly table: string
  readonly columns: readonly IndexColumn[]
  readonly where: string
  readonly unique: boolean
  readonly optional: boolean
}

const INDEX =
  /create\s+(unique\s+)?\s*index\s*(if\s+not\s+exists\s+)?(\S*)\s+on\s+(\S*)\s*\(([\s\S]*?)\)(?:\s+where\s+([\s\S]*?))?\s*$/i
const COLUMN = /^([\s\S]+?)(?:\s+collate\s+(\w+))?(?:\s+(asc|desc))?\s*$/i

const unwrap = (text: string) => text.replace(/^[`"'[\]\s]+|[`"'[\]\s]+$/g, '')

function readColumn(text: string): IndexColumn[] {
  const [, name = '', collate = '', sort = ''] = COLUMN.exec(text) ?? []
  if (unwrap(name) === '') return []
  return [{ name: unwrap(name), collate, sort: sort.toUpperCase() as IndexColumn['sort'] }]
}

/** Parses SQLite's `CREATE INDEX`. All parts are empty for other SQL. PocketBase: tools/dbutils/index.go */
export function parseIndex(sql: string): IndexExpression {
  const [, unique, optional, name = '', table = '', columns = '', where = ''] = INDEX.exec(sql) ?? []
  const names = (splitTokens(name, '.') ?? []).map(unwrap)
  const listed = splitTokens(columns, ',') ?? []
  const read = listed.flatMap(readColumn)
  return {
    schema: names.length === 2 ? names[0]! : '',
    name: names.length <= 2 ? (names.at(-1) ?? '') : '',
    table: unwrap(table),
    columns: read.length === listed.length ? read : [],
    where: where.trim(),
    unique: unique !== undefined,
    optional: optional !== undefined,
  }
}

export const isValidIndex = (index: IndexExpression) =>
  index.name !== '' && index.table !== '' && index.columns.length > 0

function columnText({ name, collate, sort }: IndexColumn): string {
  const quoted = /[( ]/.test(name) ? name : `\`${name}\``
  return quoted + (collate && ` COLLATE ${collate}`) + (sort && ` ${sort}`)
}

/** `CREATE INDEX` as PocketBase writes it, or '' for an invalid index. PocketBase: tools/dbutils/index.go */
export function indexText(index: IndexExpression): string {
  if (!isValidIndex(index)) return ''
  const columns = index.columns.map(columnText)
  return [
    `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${index.optional ? 'IF NOT EXISTS ' : ''}`,
    index.schema && `\`${index.schema}\`.`,
    `\`${index.name}\` ON \`${index.table}\` (`,
    columns.length > 1 ? `\n  ${columns.join(',\n  ')}\n` : columns[0],
    `)`,
    index.where && ` WHERE ${index.where}`,
  ].join('')
}

const equalFold = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The first unique index on exactly this column, if any. */
export function uniqueIndexOf(indexes: readonly string[], column: string): IndexExpression | undefined {
  return indexes
    .map(parseIndex)
    .find(({ unique, columns }) => unique && columns.length === 1 && equalFold(columns[0]!.name, column))
}

interface Piece extends SqlToken {
  readonly field: Field | undefined
  put: string
}

const EQUALITY = new Set(['=', '==', '!=', '<>'])
const JSON_PATH = /^'\$\.([\w.]+)'$/

const bare = (field: Field) => quote(columnName(field.name))
const isWord = (piece: Piece | undefined, word: string) =>
  piece?.kind === 'word' && piece.text.toLowerCase() === word

/** SQL of a column. JSON is compared as text, as in SQLite. */
const column = (field: Field) => bare(field) + (holdsJson(field) ? '::text collate "C"' : '')

function pieceOf(token: SqlToken, fields: readonly Field[]): Piece {
  const { kind, text } = token
  const name = kind === 'name' ? unquoted(text) : kind === 'word' ? text : undefined
  const field = fields.find((one) => one.name.toLowerCase() === name?.toLowerCase())
  const other = kind === 'name' ? sqlText(unquoted(text)) : text === '==' ? '=' : text
  return { ...token, field, put: field ? column(field) : other }
}

/** Rewrites `flag = 1` to `flag = true`. */
function boolTest([left, sign, right]: readonly Piece[]): void {
  if (left?.field?.type !== 'bool' || !EQUALITY.has(sign?.text ?? '')) return
  if (right?.text === '0' || right?.text === '1') right.put = String(right.text === '1')
}

/** Turns a JSON list of texts into a Postgres array. Other text becomes `{NULL}`, which no list equals. */
function arrayText(json: string): string {
  const list = parseJson(json)
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) return '{NULL}'
  return `{${list.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Rewrites `tags != '[]'` to `tags != '{}'`, because lists are JSON in SQLite and arrays in Postgres. */
function listTest([left, sign, right]: readonly Piece[]): void {
  if (!left?.field || !isMulti(left.field) || !EQUALITY.has(sign?.text ?? '')) return
  if (right?.kind === 'text') right.put = sqlText(arrayText(right.text.slice(1, -1).replaceAll("''", "'")))
  else if (right?.kind === 'name' && !right.field) right.put = sqlText(arrayText(unquoted(right.text)))
}

/** Rewrites `json_extract(data, '$.a.b')` to `(data #>> '{a,b}')`. */
function jsonExtract([name, open, json, comma, path, close]: readonly Piece[]): void {
  const steps = JSON_PATH.exec(path?.text ?? '')?.[1]
  if (
    !isWord(name, 'json_extract') ||
    !json?.field ||
    !holdsJson(json.field) ||
    !steps ||
    close?.text !== ')'
  )
    return
  name!.put = ''
  open!.put = '('
  json.put = bare(json.field)
  comma!.put = ' #>> '
  path!.put = sqlText(`{${steps.replaceAll('.', ',')}}`)
}

/** Translates names, texts, bools, lists and JSON paths from SQLite. The rest must be valid in Postgres. */
export function translateExpression(sql: string, fields: readonly Field[]): string {
  const pieces = sqlTokens(sql).map((token) => pieceOf(token, fields))
  const solid = pieces.filter(({ kind }) => kind !== 'blank')
  for (let i = 0; i < solid.length; i++) {
    const rest = solid.slice(i, i + 6)
    boolTest(rest)
    listTest(rest)
    jsonExtract(rest)
  }
  return pieces.map(({ put }) => put).join('')
}
