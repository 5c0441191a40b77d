import type { Traits } from '../sql/traits.ts'

/** A comparison operator, without the `?` of any-match operators. */
export type Sign = '=' | '!=' | '~' | '!~' | '<' | '<=' | '>' | '>='

/** A name: a field's path, `@request.…`, a macro, `true`, `false`, `null`. */
export interface Name {
  readonly kind: 'identifier'
  readonly text: string
}
/** A text or number in the filter. `index`: its position among the literals. */
export interface Literal {
  readonly kind: 'literal'
  readonly type: 'text' | 'number'
  readonly value: string | number
  readonly index: number
  readonly traits: Traits
  /** The literal as a pattern of `~`. */
  readonly pattern: string
  /** Whether it is a function's text argument, whose value is part of the shape. */
  readonly isFixed: boolean
}
export interface FunctionCall {
  readonly kind: 'function'
  readonly text: string
  readonly args: readonly Token[]
}
export type Token = Name | Literal | FunctionCall

export interface Comparison {
  readonly kind: 'comparison'
  readonly left: Token
  readonly sign: Sign
  /** Whether it has a `?`: one matching row is then enough. */
  readonly any: boolean
  readonly right: Token
}
interface Junction {
  readonly kind: 'and' | 'or'
  readonly items: readonly Node[]
}
/** A comparison, or several joined by `&&` or `||`. */
export type Node = Comparison | Junction

export interface Tree {
  readonly root: Node
  readonly literals: readonly Literal[]
  /** The filter with the traits of its literals, not their values. Equal shapes compile to the same SQL. */
  readonly shape: string
}

export const spelling = (token: Token) => (token.kind === 'literal' ? String(token.value) : token.text)

/** All names in a filter, including function arguments: field paths, macros, `true`. */
export function namesIn({ root }: Tree): ReadonlySet<string> {
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
