export class SqlParameters {
  readonly values: unknown[]

  constructor(first: readonly unknown[] = []) {
    this.values = [...first]
  }

  /** Adds a parameter and returns its SQL, such as `$7::text`. */
  add(value: unknown, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }

  addAll(values: readonly unknown[], types: readonly string[]): string[] {
    return values.map((value, i) => this.add(value, types[i]))
  }
}
