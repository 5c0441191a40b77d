import type { Value } from '../../fields/field.ts'
import type { RequestInfo } from '../../request/request.ts'

/** What a compiled condition gets its values from. */
export interface Input {
  readonly request: RequestInfo
  readonly literals: readonly (string | number)[]
  readonly candidate: Readonly<Record<string, Value>>
  readonly now: Date
}
