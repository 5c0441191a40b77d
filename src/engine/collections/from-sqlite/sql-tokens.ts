export interface SqlToken {
  readonly kind: 'text' | 'name' | 'word' | 'number' | 'mark' | 'blank'
  readonly text: string
}

const TOKEN =
  /(?<text>'(?:[^']|'')*')|(?<name>`[^`]*`|"(?:[^"]|"")*"|\[[^\]]*\])|(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?<word>[A-Za-z_]\w*)|(?<mark>->>|->|==|!=|<>|<=|>=|\|\||::|[\s\S])/g

/** Splits SQL into tokens. Joined, they are the same SQL again. */
export function tokenizeSql(sql: string): SqlToken[] {
  return [...sql.matchAll(TOKEN)].map((match) => {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    return { kind: kind as SqlToken['kind'], text: match[0] }
  })
}

export const unquoteName = (name: string) => name.slice(1, -1).replaceAll('""', '"')

export const quoteSqlText = (value: string) => `'${value.replaceAll("'", "''")}'`

export const lowerWord = (token: SqlToken | undefined) =>
  token?.kind === 'word' ? token.text.toLowerCase() : ''

/** Index of the first token from `at` that is not blank. */
export function skipBlanks(tokens: readonly SqlToken[], at: number): number {
  let place = at
  while (tokens[place]?.kind === 'blank') place++
  return place
}

/** Index after the token that closes the parenthesis or CASE at `at`. */
function findClosing(
  tokens: readonly SqlToken[],
  at: number,
  [opens, closes] = ['(', ')'],
): number {
  let depth = 0
  for (let i = at; i < tokens.length; i++) {
    const text = tokens[i]!.text.toLowerCase()
    if (text === opens) depth++
    if (text === closes && --depth === 0) return i + 1
  }
  return tokens.length
}

/** Index after the function call that begins at `at`; `at` itself if none does. */
export function findCallEnd(tokens: readonly SqlToken[], at: number): number {
  const open = skipBlanks(tokens, at + 1)
  return tokens[open]?.text === '(' ? findClosing(tokens, open) : at
}

export function splitArguments(tokens: readonly SqlToken[]): SqlToken[][] {
  const parts: SqlToken[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (token.text === ',' && depth === 0) parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts
}

const AFTER_JOINED = new Set([
  'join',
  'left',
  'right',
  'inner',
  'outer',
  'full',
  'cross',
  'natural',
  'where',
  'group',
  'having',
  'window',
  'order',
  'limit',
  'union',
  'intersect',
  'except',
])

/** Index at which to insert a condition for the JOIN at `at`; undefined if it has one or needs none. */
export function findBareJoinEnd(tokens: readonly SqlToken[], at: number): number | undefined {
  const before = tokens.slice(0, at).findLast(({ kind }) => kind !== 'blank')
  if (['cross', 'natural'].includes(lowerWord(before))) return undefined
  let depth = 0
  let end = at + 1
  for (; end < tokens.length; end++) {
    const token = tokens[end]!
    if (depth === 0 && ['on', 'using'].includes(lowerWord(token))) return undefined
    if (depth === 0 && (AFTER_JOINED.has(lowerWord(token)) || [',', ')'].includes(token.text)))
      break
    if (token.text === '(') depth++
    if (token.text === ')') depth--
  }
  return end
}

const SIGNS = new Set(['-', '+', '~'])
const JOINED = new Set(['.', '::'])
/** Words that may follow an aggregate and have parentheses of their own. */
const SUFFIXES = new Set(['filter', 'over'])

/** Index after the operand at `at`: a value, name, call, CASE or parentheses, perhaps with signs. */
export function findOperandEnd(tokens: readonly SqlToken[], at: number): number {
  let start = skipBlanks(tokens, at)
  while (SIGNS.has(tokens[start]?.text ?? '')) start = skipBlanks(tokens, start + 1)
  let end = findUnitEnd(tokens, start)
  for (;;) {
    const next = skipBlanks(tokens, end)
    if (JOINED.has(tokens[next]?.text ?? ''))
      end = findUnitEnd(tokens, skipBlanks(tokens, next + 1))
    else if (SUFFIXES.has(lowerWord(tokens[next])) && findCallEnd(tokens, next) > next)
      end = findCallEnd(tokens, next)
    else return end
  }
}

function findUnitEnd(tokens: readonly SqlToken[], at: number): number {
  if (tokens[at]?.text === '(') return findClosing(tokens, at)
  if (lowerWord(tokens[at]) === 'case') return findClosing(tokens, at, ['case', 'end'])
  return Math.max(tokens[at]?.kind === 'word' ? findCallEnd(tokens, at) : at, at + 1)
}
