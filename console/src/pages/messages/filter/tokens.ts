/** A token of a filter with its position. `call`: a function with its arguments; `stray`: no valid token. */
export interface Token {
  readonly kind: 'word' | 'call' | 'text' | 'number' | 'sign' | 'join' | 'open' | 'close' | 'stray'
  readonly start: number
  readonly end: number
  /** The typed text, with its quotes. */
  readonly text: string
  /** False for a text or call that is not closed yet. */
  readonly isClosed: boolean
}

const PIECES: readonly (readonly [Token['kind'] | 'gap', RegExp])[] = [
  ['gap', /[ \t\n]+|\/\/[^\n]*/y],
  ['word', /[a-zA-Z_@#][\w.:]*/y],
  ['number', /-?\d+(\.\d*)?/y],
  ['sign', /[=?!<>~]+/y],
  ['join', /[&|]+/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['stray', /./suy],
]

/** The tokens of a filter, complete or not. Never fails. */
export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < filter.length; ) {
    const { kind, end, isClosed } = pieceAt(filter, at)
    if (kind !== 'gap') tokens.push({ kind, start: at, end, text: filter.slice(at, end), isClosed })
    at = end
  }
  return tokens
}

function pieceAt(
  filter: string,
  at: number,
): { kind: Token['kind'] | 'gap'; end: number; isClosed: boolean } {
  const char = filter[at]
  if (char === '"' || char === "'") return { kind: 'text', ...quotedEnd(filter, at) }
  for (const [kind, shape] of PIECES) {
    shape.lastIndex = at
    const found = shape.exec(filter)
    if (!found) continue
    const end = at + found[0].length
    if (kind === 'word' && filter[end] === '(') return { kind: 'call', ...callEnd(filter, end) }
    return { kind, end, isClosed: true }
  }
  return { kind: 'stray', end: at + 1, isClosed: true }
}

/** Where the quoted text that begins at `start` ends. */
function quotedEnd(filter: string, start: number): { end: number; isClosed: boolean } {
  for (let i = start + 1; i < filter.length; i++) {
    if (filter[i] === '\\') i++
    else if (filter[i] === filter[start]) return { end: i + 1, isClosed: true }
  }
  return { end: filter.length, isClosed: false }
}

/** Where the call with this opening bracket ends. Brackets in quotes do not count. */
function callEnd(filter: string, open: number): { end: number; isClosed: boolean } {
  let depth = 0
  for (let i = open; i < filter.length; i++) {
    const char = filter[i]
    if (char === '"' || char === "'") i = quotedEnd(filter, i).end - 1
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return { end: i + 1, isClosed: true }
  }
  return { end: filter.length, isClosed: false }
}

/** True for operands. */
export const isOperand = ({ kind }: Token) =>
  kind === 'word' || kind === 'call' || kind === 'text' || kind === 'number'
