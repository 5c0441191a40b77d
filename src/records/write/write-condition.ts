import type { FieldError } from '../../errors.ts'
import type { SqlCondition } from '../parameters.ts'

/** Something that only the database knows, and that must hold for a record to be stored. */
export interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: SqlCondition
  /** Asked only when everything else is right. */
  readonly late: boolean
}
