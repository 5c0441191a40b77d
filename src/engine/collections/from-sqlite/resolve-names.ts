import type { Catalog } from '../catalog.ts'
import { quoteName } from '../sql-names.ts'
import { lowerWord, quoteSqlText, type SqlToken, tokenizeSql, unquoteName } from './sql-tokens.ts'

/** The kind of a name in a query, which its place decides, not its spelling. */
type Role = 'table' | 'cte' | 'table alias' | 'alias' | 'qualifier' | 'member' | 'value'

interface Name {
  readonly role: Role
  /** The word that begins the part of the query: `select`, `from`, `where`, `order`. */
  readonly part: string
  readonly isInParentheses: boolean
  /** Which SELECT of the query it belongs to. */
  readonly select: number
  /** Index of the first token of the column in which it is. */
  readonly begin: number
}

const CLAUSES = new Set([
  ...['with', 'select', 'from', 'join', 'on', 'using', 'where', 'group', 'having', 'order'],
  ...['limit', 'window', 'union', 'except', 'intersect'],
])
const KEYWORDS = new Set([
  ...['as', 'left', 'right', 'inner', 'outer', 'cross', 'natural', 'full', 'distinct', 'all'],
  ...['and', 'or', 'not', 'is', 'in', 'like', 'between', 'case', 'when', 'then', 'else', 'by'],
  ...[
    'recursive',
    'glob',
    'escape',
    'collate',
    'exists',
    'asc',
    'desc',
    'offset',
    'over',
    'filter',
  ],
])
/** Parts in which Postgres accepts the names of the columns that the query selects. */
const AFTER_SELECT = new Set(['order', 'group'])

/**
 * Resolves names as SQLite does: upper and lower case are equal, and a name in double quotes is a text if
 * no column has that name, even if a table has it.
 * https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted
 */
export function resolveNames(sql: string, catalog: Catalog): string {
  const tokens = tokenizeSql(sql)
  const { names, hasOtherSources } = findNames(tokens)
  const scope = readScope(tokens, names, catalog, hasOtherSources)
  const write = (from: number, to: number): string =>
    tokens
      .slice(from, to)
      .map((token, at) => {
        const name = names[from + at]
        return name ? writeName(token, name, scope, write) : token.text
      })
      .join('')
  return write(0, tokens.length)
}

/** `hasOtherSources`: a subquery or a function after FROM has columns of its own. */
function findNames(tokens: readonly SqlToken[]) {
  const levels = [{ clause: '', part: '', isTable: false, isAlias: false, select: 0, begin: 0 }]
  let selects = 0
  const solid = tokens
    .map((token, at) => ({ token, at }))
    .filter(({ token }) => token.kind !== 'blank')
  const names: (Name | undefined)[] = []
  let hasOtherSources = false
  for (const [place, { token, at }] of solid.entries()) {
    const level = levels.at(-1)!
    const word = lowerWord(token)
    if (token.text === '(') {
      hasOtherSources ||= level.isTable
      Object.assign(level, { isTable: false, isAlias: level.isTable })
      // names behind that of a common table are those of its columns
      const isOfColumns =
        level.clause === 'with' && !/^(?:as|materialized)$/.test(lowerWord(solid[place - 1]?.token))
      levels.push({ ...level, clause: isOfColumns ? 'columns' : '', isAlias: false })
    } else if (token.text === ')') {
      if (levels.length > 1) levels.pop()
    } else if (CLAUSES.has(word)) {
      const isFrom = word === 'from' || word === 'join'
      Object.assign(level, { clause: isFrom ? 'from' : word, isTable: isFrom, isAlias: false })
      level.part = word
      if (word === 'select') Object.assign(level, { select: ++selects, begin: at + 1 })
    } else if (word === 'distinct') {
      level.begin = at + 1
    } else if (token.text === ',') {
      if (level.clause === 'on') level.clause = 'from'
      Object.assign(level, { isTable: level.clause === 'from', isAlias: false, begin: at + 1 })
    } else if (token.kind === 'name' || (token.kind === 'word' && !KEYWORDS.has(word))) {
      const [before, after] = [solid[place - 1]?.token, solid[place + 1]?.token]
      const role = findRole(level, token, before, after)
      const { part, select, begin } = level
      if (role) names[at] = { role, part, isInParentheses: level.clause === '', select, begin }
      if (role === 'table alias') level.isAlias = false
      if (level.isTable && after?.text !== '.')
        Object.assign(level, { isTable: false, isAlias: true })
    }
  }
  return { names, hasOtherSources }
}

function findRole(
  level: { readonly clause: string; readonly isTable: boolean; readonly isAlias: boolean },
  { kind }: SqlToken,
  before: SqlToken | undefined,
  after: SqlToken | undefined,
): Role | undefined {
  const isCall = kind === 'word' && after?.text === '('
  if (isCall) return undefined
  if (level.isTable) return 'table'
  if (level.clause === 'with') return 'cte'
  if (level.clause === 'columns') return 'alias'
  if (before?.text === '.') return 'member'
  if (after?.text === '.') return 'qualifier'
  if (level.clause === 'from' && level.isAlias) return 'table alias'
  return lowerWord(before) === 'as' || (level.clause === 'select' && endsOperand(before))
    ? 'alias'
    : 'value'
}

/** Whether a name behind this token is the operand's alias: `title label`, `count(*) label`. */
const endsOperand = (token: SqlToken | undefined): boolean =>
  token?.text === ')' ||
  (token?.kind === 'word'
    ? !KEYWORDS.has(lowerWord(token)) && !CLAUSES.has(lowerWord(token))
    : false) ||
  ['name', 'text', 'number'].includes(token?.kind ?? '')

/** Names by their small letters, as Postgres has them. */
type Known = Map<string, string>

interface Scope {
  readonly columns: Known
  readonly aliases: Known
  readonly tables: Known
  readonly collections: Known
  /** The tokens that an alias names, by its SELECT and its name: SQLite allows aliases after WHERE. */
  readonly expressions: ReadonlyMap<string, [from: number, to: number]>
  /** Whether all tables are collections, so that a name that no column has is none. */
  readonly isWhole: boolean
  readonly toPostgres: (token: SqlToken) => string
}

const readName = ({ kind, text }: SqlToken) => (kind === 'name' ? unquoteName(text) : text)

function readScope(
  tokens: readonly SqlToken[],
  names: readonly (Name | undefined)[],
  { all }: Catalog,
  hasOtherSources: boolean,
): Scope {
  const kept = new Set(
    all.flatMap(({ name, fields }) => [name, ...fields.map((field) => field.name)]),
  )
  // Postgres lowers words, but for those that translateQuery quotes
  const toPostgres = (token: SqlToken) =>
    token.kind === 'word' && !kept.has(token.text) ? token.text.toLowerCase() : readName(token)
  const collections: Known = new Map(all.map(({ name }) => [name.toLowerCase(), name]))
  const [columns, aliases, tables]: Known[] = [new Map(), new Map(), new Map()]
  const expressions = new Map<string, [number, number]>()
  let isWhole = !hasOtherSources && !names.some((name) => name?.role === 'cte')
  for (const [at, token] of tokens.entries()) {
    const lower = readName(token).toLowerCase()
    const role = names[at]?.role
    if (role === 'alias') {
      const { select, begin } = names[at]!
      aliases!.set(lower, toPostgres(token))
      expressions.set(`${select} ${lower}`, [begin, findExpressionEnd(tokens, at)])
    }
    if (role === 'table alias' || role === 'cte') tables!.set(lower, toPostgres(token))
    if (role !== 'table') continue
    const source = all.find(({ name }) => name.toLowerCase() === lower)
    if (!source) isWhole = false
    tables!.set(lower, source?.name ?? toPostgres(token))
    for (const { name } of source?.fields ?? []) columns!.set(name.toLowerCase(), name)
  }
  const known = { columns: columns!, aliases: aliases!, tables: tables!, collections }
  return { ...known, expressions, isWhole, toPostgres }
}

/** The end of the expression that the alias at `at` names, without the word `as`. */
function findExpressionEnd(tokens: readonly SqlToken[], at: number): number {
  const before = tokens.slice(0, at).findLastIndex(({ kind }) => kind !== 'blank')
  return lowerWord(tokens[before]) === 'as' ? before : at
}

function writeName(
  token: SqlToken,
  { role, part, isInParentheses, select }: Name,
  scope: Scope,
  write: (from: number, to: number) => string,
): string {
  const { columns, aliases, tables, collections, expressions, isWhole, toPostgres } = scope
  const name = readName(token)
  const lower = name.toLowerCase()
  const knowsAliases = AFTER_SELECT.has(part) && !isInParentheses
  const found = {
    table: () => (tables.has(lower) ? collections.get(lower) : undefined),
    qualifier: () => tables.get(lower),
    member: () => columns.get(lower) ?? aliases.get(lower),
    value: () =>
      knowsAliases
        ? (aliases.get(lower) ?? columns.get(lower))
        : (columns.get(lower) ?? (isWhole ? undefined : aliases.get(lower))),
    cte: () => undefined,
    alias: () => undefined,
    'table alias': () => undefined,
  }[role]()
  if (found !== undefined) return found === toPostgres(token) ? token.text : quoteName(found)
  if (role !== 'value') return token.text
  const expression = part === 'select' ? undefined : expressions.get(`${select} ${lower}`)
  if (expression) return `(${write(...expression)})`
  const isText = token.text.startsWith('"') && (isWhole || tables.has(lower))
  if (!isText) return token.text
  // Postgres takes no text for something to sort by
  return knowsAliases ? `(${quoteSqlText(name)} || '')` : quoteSqlText(name)
}
