import type { Value } from '../../fields/field.ts'

/** Values of a record by field name. */
export type Values = Record<string, Value>
