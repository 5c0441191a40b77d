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
