export class Parameters {
  readonly values: unknown[]

  constructor(first: readonly unknown[] = []) {
    this.values = [...first]
  }

  /** Adds a parameter and returns its SQL, such as `$7::text`. */
  add(value: unknown, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}
