import type { Catalog } from '../catalog.ts'
import { quoteName, toTableName } from '../sql-names.ts'
import {
  findBareJoinEnd,
  findCallEnd,
  findOperandEnd,
  lowerWord,
  type SqlToken,
  skipBlanks,
  splitArguments,
  tokenizeSql,
  unquoteName,
} from './sql-tokens.ts'
import { type TranslateCall, translateCall } from './translate-call.ts'

/** Words that are keywords in Postgres but may be plain names in SQLite. */
const POSTGRES_WORDS = new Set([
  'analyse',
  'any',
  'array',
  'asymmetric',
  'both',
  'current_catalog',
  'current_role',
  'current_user',
  'do',
  'end',
  'grant',
  'lateral',
  'leading',
  'localtime',
  'localtimestamp',
  'only',
  'overlaps',
  'placing',
  'session_user',
  'similar',
  'some',
  'symmetric',
  'trailing',
  'user',
  'variadic',
  'verbose',
])

type Names = (token: SqlToken) => string

/** Writes collections as their tables. Quotes names that Postgres would lower or take for keywords. */
function makeNameWriter(catalog: Catalog): Names {
  const names = new Set(catalog.all.flatMap(({ fields }) => fields.map((field) => field.name)))
  const tables = new Map(
    catalog.all.map((collection) => [collection.name, toTableName(collection)]),
  )
  const needsQuotes = (word: string) => /[A-Z]/.test(word) || POSTGRES_WORDS.has(word)
  return ({ kind, text }) => {
    if (kind === 'word') {
      const name = tables.get(text) ?? text
      const isKnown = tables.has(text) || names.has(text)
      return name !== text || (isKnown && needsQuotes(text)) ? quoteName(name) : text
    }
    if (kind !== 'name') return text
    const name = unquoteName(text)
    return name === '' ? "''" : quoteName(tables.get(name) ?? name)
  }
}

/** Quotes names where Postgres needs it, in a view's query that is already written for Postgres. */
export const translateNames = (sql: string, catalog: Catalog): string =>
  tokenizeSql(sql).map(makeNameWriter(catalog)).join('')

interface Target {
  readonly names: Names
  readonly calls: TranslateCall
}

/** Translates a view's query from SQLite. Parts that stay unchanged must be valid in Postgres. */
export const translateQuery = (sql: string, catalog: Catalog, calls = translateCall): string =>
  translateTokens(nameAliases(tokenizeSql(sql)), { names: makeNameWriter(catalog), calls })

/** Reads a text after AS as a name, as SQLite does: `title as 'label'`. */
const nameAliases = (tokens: readonly SqlToken[]): SqlToken[] =>
  tokens.map((token, at) => {
    const before = tokens.slice(0, at).findLast(({ kind }) => kind !== 'blank')
    if (token.kind !== 'text' || lowerWord(before) !== 'as') return token
    return { kind: 'name', text: quoteName(token.text.slice(1, -1).replaceAll("''", "'")) }
  })

type Put = [sql: string, next: number]

const OPERATORS = new Map([
  ['==', '='],
  ['like', 'ilike'],
  ['->', '@->'],
  ['->>', '@->>'],
])
const DIVISIONS = new Set(['/', '%'])
const AFTER_IS = new Set(['not', 'null', 'true', 'false', 'distinct', 'unknown'])

function translateTokens(tokens: readonly SqlToken[], target: Target): string {
  let sql = ''
  for (let i = 0; i < tokens.length; ) {
    const [put, next] =
      translateCallAt(tokens, i, target) ??
      translateBareJoin(tokens, i, target) ??
      translateDivision(tokens, i, target) ??
      translateOneToken(tokens, i, target)
    sql += put
    i = next
  }
  return sql
}

function translateCallAt(tokens: readonly SqlToken[], at: number, target: Target): Put | undefined {
  const { kind, text } = tokens[at]!
  const end = kind === 'word' ? findCallEnd(tokens, at) : at
  if (end === at) return undefined
  const put = target.calls(text, () => translateArguments(tokens.slice(at, end), target))
  return put === undefined ? undefined : [put, end]
}

function translateBareJoin(
  tokens: readonly SqlToken[],
  at: number,
  target: Target,
): Put | undefined {
  if (lowerWord(tokens[at]) !== 'join') return undefined
  const end = findBareJoinEnd(tokens, at)
  return end === undefined
    ? undefined
    : [`join${translateTokens(tokens.slice(at + 1, end), target)}\non true `, end]
}

/** Translates `/` and `%`: division by 0 is NULL in SQLite but an error in Postgres. */
function translateDivision(
  tokens: readonly SqlToken[],
  at: number,
  target: Target,
): Put | undefined {
  const { text } = tokens[at]!
  if (!DIVISIONS.has(text)) return undefined
  const end = findOperandEnd(tokens, at + 1)
  return [`${text} ${guardDivisor(translateTokens(tokens.slice(at + 1, end), target))}`, end]
}

function translateOneToken(tokens: readonly SqlToken[], at: number, target: Target): Put {
  const token = tokens[at]!
  if (lowerWord(token) === 'is') return translateIs(tokens, at + 1)
  return [OPERATORS.get(token.text.toLowerCase()) ?? target.names(token), at + 1]
}

const guardDivisor = (sql: string) =>
  /^\s*[\d.]*[1-9][\d.]*\s*$/.test(sql) ? sql : `nullif(${sql}, 0)`

/** Translates `IS`, because Postgres' `IS` accepts only null and bools on its right. */
function translateIs(tokens: readonly SqlToken[], at: number): Put {
  const first = skipBlanks(tokens, at)
  const not = lowerWord(tokens[first]) === 'not'
  const value = not ? skipBlanks(tokens, first + 1) : first
  if (AFTER_IS.has(lowerWord(tokens[value]))) return ['is', at]
  return not ? ['is distinct from', first + 1] : ['is not distinct from', at]
}

function translateArguments(call: readonly SqlToken[], target: Target): string[] {
  const inside = call.slice(skipBlanks(call, 1) + 1, -1)
  if (inside.every(({ kind }) => kind === 'blank')) return []
  return splitArguments(inside).map((part) => translateTokens(part, target))
}
