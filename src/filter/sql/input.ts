import type { Value } from '../../fields/field.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Scalar } from './scalar.ts'

/** What a compiled condition gets its values from. */
export interface Input {
  readonly request: RequestInfo
  readonly literals: readonly { readonly value: Scalar; readonly pattern: string }[]
  readonly candidate: Readonly<Record<string, Value>>
  readonly now: Date
}

/** Where a parameter's value comes from. */
export type Slot = (input: Input) => Scalar
