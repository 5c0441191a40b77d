import type { Choices } from '../../data/choices.ts'
/** A field's value while it is edited. Numbers and `list` fields are edited as strings. */
export type Value = string | boolean | readonly string[]
export type Values = Readonly<Record<string, Value>>

type InputType = 'text' | 'email' | 'password' | 'number' | 'tel' | 'url' | 'time' | 'date'

export interface Kept {
  /** The name of the record's field; for settings a path, such as `smtp.host`. */
  readonly name: string
  /** `list`: strings separated by commas, or by lines if `rows` is set. `checks`: several of the choices. */
  readonly kind?: InputType | 'area' | 'check' | 'checks' | 'list' | 'select'
  readonly choices?: Choices
  readonly placeholder?: string
  readonly rows?: number
  /** Converts a stored value for editing. `write` converts it back, or returns undefined to send nothing. */
  readonly read?: (stored: unknown) => Value
  readonly write?: (typed: Value, values: Values) => unknown
}

/** The schema of a field (collections.ts). */
type Facts = {
  readonly type: string
  readonly many?: boolean
  readonly min?: number
  readonly max?: number
}
export type Schema = Readonly<Record<string, Facts>>

const KINDS: Readonly<Record<string, Kept['kind']>> = {
  number: 'number',
  bool: 'check',
  email: 'email',
  url: 'url',
  password: 'password',
}

/** Adds a field's kind and limits from the schema. */
export function completeRow<F extends Kept>(row: F, facts: Facts | undefined): F {
  const kind =
    row.kind ?? (row.choices ? (facts?.many ? 'checks' : 'select') : KINDS[facts?.type ?? ''])
  const isLine = kind === undefined && facts?.type === 'text'
  return {
    ...(kind === 'number' && { min: facts?.min ?? 0, ...(facts?.max && { max: facts.max }) }),
    ...(isLine && facts.max && { maxLength: facts.max }),
    ...row,
    ...(kind && { kind }),
  }
}

/** The form's values for a record or settings. A number field with a placeholder shows 0 as empty. */
export const makeTyped = (fields: readonly Kept[], stored: object): Values =>
  Object.fromEntries(fields.map((row) => [row.name, toTyped(row, readAtPath(stored, row.name))]))

function toTyped({ kind, placeholder, read, rows }: Kept, value: unknown): Value {
  if (read) return read(value)
  if (kind === 'check') return Boolean(value)
  if (kind === 'checks') return (value as readonly string[] | undefined) ?? []
  if (kind === 'list') return ((value as readonly string[] | null) ?? []).join(rows ? '\n' : ', ')
  if (kind === 'password' || (kind === 'number' && placeholder && !value)) return ''
  return String(value ?? '')
}

/**
 * Converts the form's values to those to store. Leaves out empty passwords. `all`: for rows that write by the
 * value of another row, which may be unchanged.
 */
export function makeStored(
  fields: readonly Kept[],
  values: Partial<Values>,
  all: Partial<Values> = values,
): Record<string, unknown> {
  const stored = {}
  for (const row of fields) {
    const typed = values[row.name]
    const value = typed === undefined ? undefined : toWritten(row, typed, all as Values)
    if (value !== undefined) putAtPath(stored, row.name, value)
  }
  return stored
}

function toWritten({ kind, write }: Kept, typed: Value, values: Values): unknown {
  if (write) return write(typed, values)
  if (kind === 'number') return Number(typed) || 0
  if (kind === 'password') return typed || undefined
  return kind === 'list'
    ? String(typed)
        .split(/[\s,]+/)
        .filter(Boolean)
    : typed
}

const readAtPath = (stored: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | undefined)?.[name],
      stored,
    )

function putAtPath(stored: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) stored[name] = value
  else {
    const inner = { ...(stored[name] as object) }
    putAtPath(inner, rest.join('.'), value)
    stored[name] = inner
  }
}

/** The error of a field, or of an element of its list, for example `excludedIPs.0`. */
export const findFieldFault = (
  fields: Readonly<Record<string, string>>,
  name: string,
): string | undefined =>
  Object.entries(fields).find(([path]) => path === name || path.startsWith(`${name}.`))?.[1]
