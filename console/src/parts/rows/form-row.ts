import type { ComponentChildren, Ref } from 'preact'
import type { Fault } from '../../data/fault.ts'
import type { Kept, Value, Values } from './values.ts'

/** A field of a form. If `kind` is absent, RecordForm takes it from the collection's schema. */
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
  /** The message to show if the server refuses the value. Replaces the server's own. */
  readonly refused?: string
  readonly input?: (
    row: FieldRow,
    value: Value,
    onValue: (value: Value) => void,
  ) => ComponentChildren
  /** Returns why the typed value cannot be sent. Shown after the first try to submit. */
  readonly error?: (typed: Value, values: Values) => string | undefined
}

export interface Filling {
  readonly values: Values
  change(part: Values): void
  readonly fault: Fault | undefined
  readonly isTried: boolean
}

/** Rarely needed rows, hidden until the user opens the line `summary`. */
interface Folded {
  readonly summary: string
  readonly folded: readonly FormRow[]
}

/** A field, fields side by side, folded rows, or a function that renders anything else. */
export type FormRow =
  | FieldRow
  | readonly FieldRow[]
  | Folded
  | ((form: Filling) => ComponentChildren)

export const listFields = (rows: readonly FormRow[]): readonly FieldRow[] =>
  rows.flatMap((row) => {
    if (typeof row === 'function') return []
    return 'folded' in row ? listFields(row.folded) : row
  })

export const isList = (row: FormRow): row is readonly FieldRow[] => Array.isArray(row)
