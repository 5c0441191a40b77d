import type { ComponentChildren, Ref } from 'preact'
import type { Fault } from '../../data/fault.ts'
import { complete, type Kept, type Schema, type Value, type Values } from './values.ts'

/** A field of a form. The schema gives the field's kind unless `kind` is set. */
export interface FieldRow extends Kept {
  readonly label: string
  readonly hint?: ComponentChildren | ((values: Values) => ComponentChildren)
  readonly min?: number
  readonly max?: number
  readonly maxLength?: number
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly spellcheck?: boolean
  readonly inputRef?: Ref<HTMLTextAreaElement>
  readonly class?: string
  readonly shown?: (values: Values) => boolean
  /** A message to show instead of the server's when it refuses the value. */
  readonly refused?: string
  /** Renders a custom input instead of the kind's. */
  readonly input?: (row: FieldRow, value: Value, onValue: (value: Value) => void) => ComponentChildren
  /** Why the typed value cannot be sent. Shown once the form was submitted. */
  readonly error?: (typed: Value, values: Values) => string | undefined
}

export interface Filling {
  readonly values: Values
  change(part: Values): void
  readonly fault: Fault | undefined
  readonly isTried: boolean
}

/** Rarely needed rows, hidden until the user opens the line `summary`. */
export interface Folded {
  readonly summary: string
  readonly folded: readonly FormRow[]
}

/** A field, fields side by side, folded rows, or a function that renders anything else. */
export type FormRow = FieldRow | readonly FieldRow[] | Folded | ((form: Filling) => ComponentChildren)

export const isList = (row: FormRow): row is readonly FieldRow[] => Array.isArray(row)

export const fieldsIn = (rows: readonly FormRow[]): readonly FieldRow[] =>
  rows.flatMap((row) => {
    if (typeof row === 'function') return []
    return 'folded' in row ? fieldsIn(row.folded) : row
  })

/** Completes rows by their fields' schema. */
export const withSchema = (rows: readonly FormRow[], schema: Schema): readonly FormRow[] =>
  rows.map((row) => {
    if (typeof row === 'function') return row
    if (isList(row)) return row.map((each) => complete(each, schema[each.name]))
    return 'folded' in row
      ? { ...row, folded: withSchema(row.folded, schema) }
      : complete(row, schema[row.name])
  })
