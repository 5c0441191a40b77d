/** How two sides are compared, without the `?` of the any-forms. */
export type Sign = '=' | '!=' | '~' | '!~' | '<' | '<=' | '>' | '>='

/** A name: a field's path, `@request.…`, a macro, `true`, `false`, `null`. */
export interface Name {
  readonly kind: 'identifier'
  readonly text: string
}
/** A text or number written out. `index`: its place among the literals of its filter. */
export interface Literal {
  readonly kind: 'literal'
  /** How it was written. */
  readonly type: 'text' | 'number'
  readonly value: string | number
  readonly index: number
}
/** A function and what it is called with. */
export interface FunctionCall {
  readonly kind: 'function'
  readonly text: string
  readonly args: readonly Token[]
}
/** What may stand on a side of a comparison. */
export type Token = Name | Literal | FunctionCall

/** Two tokens and an operator. */
export interface Comparison {
  readonly kind: 'comparison'
  readonly left: Token
  readonly sign: Sign
  /** Written with `?`: one matching row of several is enough. */
  readonly any: boolean
  readonly right: Token
}
interface Junction {
  readonly kind: 'and' | 'or'
  readonly items: readonly Node[]
}
/** A comparison, or several joined by `&&` or `||`. */
export type Node = Comparison | Junction

/** A filter that was read. */
export interface Tree {
  readonly root: Node
  readonly literals: readonly (string | number)[]
  /** The filter without the values of its literals: what compiles to the same code has the same shape. */
  readonly shape: string
}

/** How a token is spelled in an error. */
export const spelling = (token: Token) => (token.kind === 'literal' ? String(token.value) : token.text)
