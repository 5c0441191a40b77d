import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import { FilterError } from '../errors.ts'
import { Brackets } from './brackets.ts'

/** A token from the grammar. */
export interface RawToken {
  readonly kind: 'identifier' | 'text' | 'number' | 'function'
  readonly text: string
  readonly args?: readonly RawToken[]
}
/** A comparison from the grammar. */
export interface RawComparison {
  readonly left: RawToken
  readonly op: string
  readonly right: RawToken
}
/** An item of a chain and the operator before it. A group is a chain itself. */
export interface RawItem {
  readonly join: '&&' | '||'
  readonly item: RawComparison | readonly RawItem[]
}

/** PocketBase has no limit. Ours protects the stack, here and in Postgres. */
const MAX_NESTING = 250

const parser = peggy.generate(readFileSync(new URL('../../../grammar/filter.peggy', import.meta.url), 'utf8'))

/** Quotes a text as Go's %q does. */
const quote = (text: string) => JSON.stringify(text)
const quoteChar = (char: string) => (char === "'" ? `'\\''` : `'${JSON.stringify(char).slice(1, -1)}'`)

/** Reads a filter as a flat chain. Throws a FilterError in PocketBase's words. */
export const readChain = (text: string): readonly RawItem[] => readPart(text, new Brackets(text), 0, 0)

/** Reads a group or the whole filter; `text` begins at `start` of it. */
function readPart(text: string, brackets: Brackets, start: number, depth: number): readonly RawItem[] {
  if (depth > MAX_NESTING) throw new FilterError('max group nesting reached')
  const closingBracket = (position: number) => {
    const end = brackets.closingOf(start + position) - start
    // Comments can hide the brackets of two groups from each other.
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
