import { readFileSync } from 'node:fs'
import peggy from 'peggy'
import { FilterError } from '../errors.ts'

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
/** An item of a chain and the operator before it. A group is a chain itself. */
export interface RawItem {
  readonly join: '&&' | '||'
  readonly item: RawComparison | readonly RawItem[]
}

const parser = peggy.generate(readFileSync(new URL('../../../grammar/filter.peggy', import.meta.url), 'utf8'))

/** Reads a filter as a flat chain. Throws a FilterError in PocketBase's words. */
export function readChain(text: string): readonly RawItem[] {
  try {
    return parser.parse(text)
  } catch (error) {
    throw new FilterError((error as Error).message)
  }
}
