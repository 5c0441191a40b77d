import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import { FilterError } from './errors.ts'

/** A token as the grammar gives it. */
export interface RawToken {
  readonly kind: 'identifier' | 'text' | 'number' | 'function'
  readonly text: string
  readonly args?: readonly RawToken[]
}
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
const MAX_NESTING = 500

const parser = peggy.generate(readFileSync(new URL('../../grammar/filter.peggy', import.meta.url), 'utf8'))

/** A text as Go's %q shows it. */
const quote = (text: string) => JSON.stringify(text)
const quoteChar = (char: string) => (char === "'" ? `'\\''` : `'${JSON.stringify(char).slice(1, -1)}'`)

/** The flat chain of a filter. Throws a FilterError in PocketBase's words. */
export function readChain(text: string, depth = 0): readonly RawItem[] {
  if (depth > MAX_NESTING) throw new FilterError('max group nesting reached')
  try {
    return parser.parse(text, {
      parseGroup: (inner: string) => readChain(inner, depth + 1),
      quote,
      quoteChar,
    })
  } catch (error) {
    if (error instanceof FilterError) throw error
    throw new FilterError((error as Error).message)
  }
}
