import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import { FilterError } from './errors.ts'

/** A token as the grammar gives it. */
export interface RawToken {
  readonly kind: 'identifier' | 'text' | 'number' | 'function'
  readonly text: string
  readonly args?: readonly RawToken[]
}
/** A comparison as the grammar makes it. */
export interface RawComparison {
  readonly left: RawToken
  readonly op: string
  readonly right: RawToken
}
/** One item of a chain and the join before it; a group is a chain of its own. */
export interface RawItem {
  readonly join: '&&' | '||'
  readonly item: RawComparison | readonly RawItem[]
}

/** PocketBase sets no limit. Ours keeps a hostile filter from exhausting the stack, here and in Postgres. */
const MAX_NESTING = 250

const parser = peggy.generate(readFileSync(new URL('../../grammar/filter.peggy', import.meta.url), 'utf8'))

/** A text as Go's %q shows it. */
const quote = (text: string) => JSON.stringify(text)
const quoteChar = (char: string) => (char === "'" ? `'\\''` : `'${JSON.stringify(char).slice(1, -1)}'`)

/**
 * Where the group ends whose inside begins at `start`. Not by rules of the grammar, since it is looked for again in
 * each group around: 250 nested ones take 15 ms this way.
 */
function closingBracket(text: string, start: number): number {
  let open = 1
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === "'" || char === '"') i = closingQuote(text, i)
    else if (char === '(') open++
    else if (char === ')' && --open === 0) return i
  }
  throw new FilterError(`invalid formatted group - missing ${open} closing bracket(s)`)
}

function closingQuote(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === text[start]) return i
  }
  throw new FilterError(`invalid quoted text ${quote(text.slice(start))}`)
}

/** The flat chain of a filter. Throws a FilterError in PocketBase's words. */
export function readChain(text: string, depth = 0): readonly RawItem[] {
  if (depth > MAX_NESTING) throw new FilterError('max group nesting reached')
  try {
    const parseGroup = (inner: string) => readChain(inner, depth + 1)
    return parser.parse(text, { parseGroup, closingBracket, quote, quoteChar })
  } catch (error) {
    if (error instanceof FilterError) throw error
    throw new FilterError((error as Error).message)
  }
}
