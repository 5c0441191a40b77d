import { type Catalog, quote, tableName } from '../catalog.ts'
import {
  bareJoinEnd,
  callEnd,
  lowerWord,
  operandEnd,
  type SqlToken,
  skipBlanks,
  splitArguments,
  sqlTokens,
  unquoted,
} from './sql-parts.ts'

/** Words that are keywords in Postgres but may be plain names in SQLite. */
const POSTGRES_WORDS = new Set([
  ...['analyse', 'any', 'array', 'asymmetric', 'both', 'current_catalog', 'current_role', 'current_user'],
  ...['do', 'end', 'grant', 'lateral', 'leading', 'localtime', 'localtimestamp', 'only', 'overlaps'],
  ...['placing', 'session_user', 'similar', 'some', 'symmetric', 'trailing', 'user', 'variadic', 'verbose'],
])

type Names = (token: SqlToken) => string

/** Writes collections as their tables. Quotes names that Postgres would lower or take for keywords. */
function namesOf(catalog: Catalog): Names {
  const names = new Set(catalog.all.flatMap(({ fields }) => fields.map((field) => field.name)))
  const tables = new Map(catalog.all.map((collection) => [collection.name, tableName(collection)]))
  const needsQuotes = (word: string) => /[A-Z]/.test(word) || POSTGRES_WORDS.has(word)
  return ({ kind, text }) => {
    if (kind === 'word') {
      const name = tables.get(text) ?? text
      const isKnown = tables.has(text) || names.has(text)
      return name !== text || (isKnown && needsQuotes(text)) ? quote(name) : text
    }
    if (kind !== 'name') return text
    const name = unquoted(text)
    return name === '' ? "''" : quote(tables.get(name) ?? name)
  }
}

/** Quotes names where Postgres needs it, in a view's query that is already written for Postgres. */
export const translateNames = (sql: string, catalog: Catalog): string =>
  sqlTokens(sql).map(namesOf(catalog)).join('')

/** Translates a view's query from SQLite. Parts that stay unchanged must be valid in Postgres. */
export const translateQuery = (sql: string, catalog: Catalog): string =>
  translate(sqlTokens(sql), namesOf(catalog))

type Put = [sql: string, next: number]

const OPERATORS = new Map([
  ['==', '='],
  ['like', 'ilike'],
  ['->', '@->'],
  ['->>', '@->>'],
])
const DIVISIONS = new Set(['/', '%'])
const AFTER_IS = new Set(['not', 'null', 'true', 'false', 'distinct', 'unknown'])

function translate(tokens: readonly SqlToken[], names: Names): string {
  let sql = ''
  for (let i = 0; i < tokens.length; ) {
    const [put, next] =
      call(tokens, i, names) ??
      bareJoin(tokens, i, names) ??
      division(tokens, i, names) ??
      single(tokens, i, names)
    sql += put
    i = next
  }
  return sql
}

function call(tokens: readonly SqlToken[], at: number, names: Names): Put | undefined {
  const { kind, text } = tokens[at]!
  const end = kind === 'word' ? callEnd(tokens, at) : at
  if (end === at) return undefined
  const put = translateCall(text, () => argumentsOf(tokens.slice(at, end), names))
  return put === undefined ? undefined : [put, end]
}

function bareJoin(tokens: readonly SqlToken[], at: number, names: Names): Put | undefined {
  if (lowerWord(tokens[at]) !== 'join') return undefined
  const end = bareJoinEnd(tokens, at)
  return end === undefined ? undefined : [`join${translate(tokens.slice(at + 1, end), names)}\non true `, end]
}

/** Translates `/` and `%`: division by 0 is NULL in SQLite but an error in Postgres. */
function division(tokens: readonly SqlToken[], at: number, names: Names): Put | undefined {
  const { text } = tokens[at]!
  if (!DIVISIONS.has(text)) return undefined
  const end = operandEnd(tokens, at + 1)
  return [`${text} ${divisor(translate(tokens.slice(at + 1, end), names))}`, end]
}

function single(tokens: readonly SqlToken[], at: number, names: Names): Put {
  const token = tokens[at]!
  if (lowerWord(token) === 'is') return comparison(tokens, at + 1)
  return [OPERATORS.get(token.text.toLowerCase()) ?? names(token), at + 1]
}

const divisor = (sql: string) => (/^\s*[\d.]*[1-9][\d.]*\s*$/.test(sql) ? sql : `nullif(${sql}, 0)`)

/** Translates `IS`, because Postgres' `IS` accepts only null and bools on its right. */
function comparison(tokens: readonly SqlToken[], at: number): Put {
  const first = skipBlanks(tokens, at)
  const not = lowerWord(tokens[first]) === 'not'
  const value = not ? skipBlanks(tokens, first + 1) : first
  if (AFTER_IS.has(lowerWord(tokens[value]))) return ['is', at]
  return not ? ['is distinct from', first + 1] : ['is not distinct from', at]
}

function argumentsOf(call: readonly SqlToken[], names: Names): string[] {
  const inside = call.slice(skipBlanks(call, 1) + 1, -1)
  if (inside.every(({ kind }) => kind === 'blank')) return []
  return splitArguments(inside).map((part) => translate(part, names))
}

type Call = (args: readonly string[]) => string | undefined

const CASTS: Readonly<Record<string, string>> = {
  int: 'pb_integer',
  integer: 'pb_integer',
  real: 'pb_real',
  numeric: 'pb_real',
  decimal: 'pb_real',
  text: 'pb_text',
  bool: 'pb_bool',
  boolean: 'pb_bool',
}

const CAST = /^([\s\S]*)\sas\s+(\w+)\s*$/i
const AGGREGATED = /^\s*(distinct\s)?([\s\S]*?)(\sorder\s+by\s[\s\S]*)?$/i

function cast([arg = '']: readonly string[]): string | undefined {
  const [, value, type = ''] = CAST.exec(arg) ?? []
  const name = CASTS[type.toLowerCase()]
  return name && `${name}(${value})`
}

/** Translates `group_concat(DISTINCT value, separator ORDER BY …)`. ORDER BY is part of the last argument. */
function groupConcat(args: readonly string[]): string | undefined {
  const [, distinct = '', value = '', order = ''] = AGGREGATED.exec(args[0] ?? '') ?? []
  const [, , separator = "','", after = ''] = AGGREGATED.exec(args[1] ?? "','") ?? []
  return `string_agg(${distinct}pb_text(${value}), ${separator}${order}${after})`
}

/** Translates `max(a, b)` or `min(a, b)`: NULL if any value is, while greatest() and least() skip NULLs. */
const extreme =
  (name: string): Call =>
  (args) => {
    if (args.length < 2) return undefined
    const nulls = args.map((arg) => `(${arg}) is null`).join(' or ')
    return `case when ${nulls} then null else ${name}(${args.join(', ')}) end`
  }

const renamed =
  (name: string): Call =>
  (args) =>
    `${name}(${args.join(',')})`

const choose: Call = ([condition, ...values]) =>
  `case when pb_truth(${condition}) then ${values[0]} else ${values[1] ?? 'null'} end`

/** Translates a time function to pb_strftime, or to the faster function `quick` if it has no modifiers. */
const time =
  (format: string, quick?: string): Call =>
  (args) => {
    if (quick && args.length === 1) return `${quick}(${args[0]})`
    return `pb_strftime('${format}', ${args.length > 0 ? args.join(',') : "'now'"})`
  }

/** Matches translated SQL that returns JSON. Inside other JSON, its value must not become a string. */
const JSON_CALL = /^\s*(json_build_|json_object_agg|coalesce\(json_|pb_json\()/

const inJson = (value: string) => (JSON_CALL.test(value) ? value : `pb_json_of(${value})`)

const jsonOf = ([value = '', path]: readonly string[]) =>
  path === undefined ? `pb_json(${value})` : `pb_json_at(pb_json(${value}), ${path})`

function jsonObject(args: readonly string[]): string {
  const members = args.map((arg, i) => (i % 2 === 0 ? arg : inJson(arg)))
  return `json_build_object(${members.join(',')})`
}

const CALLS: Readonly<Record<string, Call>> = {
  cast,
  ifnull: renamed('coalesce'),
  iif: choose,
  if: choose,
  max: extreme('greatest'),
  min: extreme('least'),
  substr: renamed('pb_substr'),
  substring: (args) => (args.length > 1 ? `pb_substr(${args.join(',')})` : undefined),
  length: renamed('pb_length'),
  round: renamed('pb_round'),
  group_concat: groupConcat,
  json: jsonOf,
  json_array: (args) => `json_build_array(${args.map(inJson).join(',')})`,
  json_array_length: (args) => `pb_json_length(${jsonOf(args)})`,
  json_each: (args) => `json_each(${jsonOf(args)}::text)`,
  json_group_array: ([arg]) => `coalesce(json_agg(${arg}), '[]')`,
  json_group_object: ([key, value = '']) => `coalesce(json_object_agg(${key}, ${inJson(value)}), '{}')`,
  json_object: jsonObject,
  strftime: (args) => `pb_strftime(${args.length > 1 ? args.join(',') : `${args[0]}, 'now'`})`,
  date: time('%F', 'pb_day'),
  datetime: time('%F %T', 'pb_day_time'),
  time: time('%T'),
  julianday: (args) => `(round(${time('%J')(args)}::float8 * 86400000) / 86400000)`,
  unixepoch: (args) => `${time('%s')(args)}::bigint`,
}

/** Translates a call from SQLite; undefined if it can stay. Calls `args` only for a name it translates. */
function translateCall(name: string, args: () => readonly string[]): string | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(CALLS, key) ? CALLS[key]!(args()) : undefined
}
