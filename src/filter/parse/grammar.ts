import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import { FilterError } from '../errors.ts'
import { Brackets } from './brackets.ts'

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

const parser = peggy.generate(readFileSync(new URL('../../../grammar/filter.peggy', import.meta.url), 'utf8'))

/** A text as Go's %q shows it. */
const quote = (text: string) => JSON.stringify(text)
const quoteChar = (char: string) => (char === "'" ? `'\\''` : `'${JSON.stringify(char).slice(1, -1)}'`)

/** The flat chain of a filter. Throws a FilterError in PocketBase's words. */
export const readChain = (text: string): readonly RawItem[] => readPart(text, new Brackets(text), 0, 0)

/** The chain of a group, or of the whole filter: `text` begins at `start` of it. */
function readPart(text: string, brackets: Brackets, start: number, depth: number): readonly RawItem[] {
  if (depth > MAX_NESTING) throw new FilterError('max group nesting reached')
  const closingBracket = (position: number) => {
    const end = brackets.closingOf(start + position) - start
    // of two groups whose brackets comments hide from one another
    if (end >= text.length) throw new FilterError('invalid formatted group - missing 1 closing bracket(s)')
    return end
  }
  const parseGroup = (inner: string, position: number) =>
    readPart(inner, brackets, start + position, depth + 1)
  try {
    return parser.parse(text, { parseGroup, closingBracket, quote, quoteChar })
  } catch (error) {
    if (error instanceof FilterError) throw error
    throw new FilterError((error as Error).message)
  }
}
