import type { Value } from '../../fields/field.ts'

export type Values = Record<string, Value>
