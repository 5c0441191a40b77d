import { type Field, isMulti } from '../fields/field.ts'

/** Collects the parameters of a statement while it is written. */
export class Parameters {
  readonly values: unknown[]

  constructor(first: readonly unknown[] = []) {
    this.values = [...first]
  }

  /** Adds a parameter and returns its SQL, `$7` or `$7::text`. */
  add(value: unknown, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}

/** Postgres' type of a field's values. */
export function sqlType(field: Field): string {
  if (isMulti(field)) return 'text[]'
  if (field.type === 'number') return 'double precision'
  if (field.type === 'bool') return 'boolean'
  return field.type === 'json' || field.type === 'geoPoint' ? 'json' : 'text'
}
