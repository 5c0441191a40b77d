import { cleanText } from '../../platform/tools/clean-text.ts'
import { Lru } from '../../platform/tools/lru.ts'
import { formatGoText } from './convert-scalars.ts'
import { parse } from './filter-grammar.ts'
import { makeLikePattern } from './like-pattern.ts'
import { deriveTraits, type Traits } from './literal-traits.ts'

/**
 * An invalid filter, rule, sort or page. Clients see the message only when they save a collection; the log
 * has it.
 */
export class FilterError extends Error {
  override name = 'FilterError'
}

interface RawToken {
  readonly kind: 'identifier' | 'text' | 'number' | 'function'
  readonly text: string
  readonly args?: readonly RawToken[]
}
interface RawComparison {
  readonly left: RawToken
  readonly op: string
  readonly right: RawToken
}
/** A comparison, or a group in parentheses as a list. `join`: the operator before the item. */
interface RawItem {
  readonly join: '&&' | '||'
  readonly item: RawComparison | readonly RawItem[]
}

const MAX_EXPRESSIONS = 200
const MAX_CALL_NESTING = 3
const CACHED_TREES = 500
/** Maximum characters of a cached filter. Rules are rarely longer. */
const MAX_CACHED_LENGTH = 1500

const trees = new Lru<string, Tree>(CACHED_TREES)

/** Parses a filter, cached. Throws a FilterError. Contract 1.1-1.4. PocketBase: tools/search/filter.go */
export function parseFilter(text: string, beforeReading?: () => void): Tree {
  const known = trees.get(text)
  if (known) return known
  beforeReading?.()
  const tree = new Reader().read(text)
  return text.length > MAX_CACHED_LENGTH ? tree : trees.set(text, tree)
}

/** Turns the grammar's flat lists into a tree, limits the number of expressions and numbers the literals. */
class Reader {
  readonly #literals: Literal[] = []
  #expressions = 0
  #shape = ''

  read(text: string): Tree {
    let chain: readonly RawItem[]
    try {
      chain = parse(text)
    } catch (error) {
      throw new FilterError((error as Error).message)
    }
    return { root: this.#chain(chain), literals: this.#literals, shape: this.#shape }
  }

  /** Makes an OR of ANDs, since `&&` binds tighter than `||`. */
  #chain(chain: readonly RawItem[]): Node {
    const alternatives: Node[][] = [[]]
    for (const [i, { join, item }] of chain.entries()) {
      if (i > 0) this.#shape += join
      if (i > 0 && join === '||') alternatives.push([])
      alternatives.at(-1)!.push(this.#item(item))
    }
    const parts = alternatives.map((items) => joinNodes('and', items))
    return joinNodes('or', parts)
  }

  #item(item: RawItem['item']): Node {
    if (!isChain(item)) return this.#comparison(item)
    this.#shape += '('
    const node = this.#chain(item)
    this.#shape += ')'
    return node
  }

  #comparison({ left, op, right }: RawComparison): Comparison {
    if (++this.#expressions > MAX_EXPRESSIONS)
      throw new FilterError('max filter expressions limit reached')
    const leftToken = this.#token(left)
    this.#shape += op
    const any = op.startsWith('?')
    const sign = (any ? op.slice(1) : op) as Sign
    return { kind: 'comparison', left: leftToken, sign, any, right: this.#token(right) }
  }

  #token(token: RawToken, depth = 0): Token {
    if (token.kind === 'identifier') {
      this.#shape += token.text
      return { kind: token.kind, text: token.text }
    }
    if (token.kind === 'function') return this.#call(token, depth)
    const value = token.kind === 'text' ? cleanText(token.text) : zeroIfInfinite(Number(token.text))
    const isFixed = depth > 0 && token.kind === 'text'
    const [index, traits, pattern] = [
      this.#literals.length,
      deriveTraits(value),
      makeLikePattern(formatGoText(value)),
    ]
    this.#shape += isFixed
      ? JSON.stringify(value)
      : `'${Object.values(traits).map(readFirstLetter).join('')}`
    const literal = {
      kind: 'literal',
      type: token.kind,
      value,
      index,
      traits,
      pattern,
      isFixed,
    } as const
    this.#literals.push(literal)
    return literal
  }

  #call({ text, args = [] }: RawToken, depth: number): Token {
    if (depth >= MAX_CALL_NESTING)
      throw new FilterError('max nested function arguments reached (max: 3)')
    this.#shape += `${text}(`
    const tokens = args.map((arg) => {
      const token = this.#token(arg, depth + 1)
      this.#shape += ','
      return token
    })
    this.#shape += ')'
    return { kind: 'function', text, args: tokens }
  }
}

const zeroIfInfinite = (number: number) => (Number.isFinite(number) ? number : 0)

/** The first letter of a value in `Traits`: it differs for all values that a literal can have there. */
const readFirstLetter = (trait: unknown) => String(trait)[0]

const isChain = (item: RawItem['item']): item is readonly RawItem[] => Array.isArray(item)

const joinNodes = (kind: 'and' | 'or', items: readonly Node[]): Node =>
  items.length === 1 ? items[0]! : { kind, items }

/** A comparison operator, without the `?` of any-match operators. */
export type Sign = '=' | '!=' | '~' | '!~' | '<' | '<=' | '>' | '>='

/** A name: a field's path, `@request.…`, a macro, `true`, `false`, `null`. */
interface Name {
  readonly kind: 'identifier'
  readonly text: string
}
/** A text or number in the filter. `index`: its position among the filter's literals. */
export interface Literal {
  readonly kind: 'literal'
  readonly type: 'text' | 'number'
  readonly value: string | number
  readonly index: number
  readonly traits: Traits
  /** The literal as a pattern for `~`. */
  readonly pattern: string
  /** Whether the literal is a text argument of a function. The `shape` then contains its value. */
  readonly isFixed: boolean
}
interface FunctionCall {
  readonly kind: 'function'
  readonly text: string
  readonly args: readonly Token[]
}
export type Token = Name | Literal | FunctionCall

export interface Comparison {
  readonly kind: 'comparison'
  readonly left: Token
  readonly sign: Sign
  /** Whether the operator has a `?`: one matching row is then enough. */
  readonly any: boolean
  readonly right: Token
}
interface Junction {
  readonly kind: 'and' | 'or'
  readonly items: readonly Node[]
}
export type Node = Comparison | Junction

export interface Tree {
  readonly root: Node
  readonly literals: readonly Literal[]
  /** The filter's text, with `Traits` in place of literals. Equal shapes compile to the same SQL. */
  readonly shape: string
}

export const writeTokenText = (token: Token) =>
  token.kind === 'literal' ? String(token.value) : token.text

/** All names in a filter, including function arguments: field paths, macros, `true`. */
export function collectFilterNames({ root }: Tree): ReadonlySet<string> {
  const names = new Set<string>()
  const ofToken = (token: Token): void => {
    if (token.kind === 'identifier') names.add(token.text)
    if (token.kind === 'function') token.args.forEach(ofToken)
  }
  const ofNode = (node: Node): void => {
    if (node.kind === 'comparison') [node.left, node.right].forEach(ofToken)
    else node.items.forEach(ofNode)
  }
  ofNode(root)
  return names
}
