import type { FieldError } from '../../errors.ts'
import type { SqlCondition } from '../parameters.ts'

/** A condition on a record that only the database can test. */
export interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: SqlCondition
  /** Tested only if everything else is valid. */
  readonly late: boolean
}
