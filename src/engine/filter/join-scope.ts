import { JoinedRow, type JoinSource } from './sql-pieces.ts'

export function listWithAncestors(row: JoinedRow): JoinedRow[] {
  const line: JoinedRow[] = []
  for (let one: JoinedRow | null = row; one; one = one.parent) line.push(one)
  return line
}

export class JoinScope {
  readonly rows: JoinedRow[]
  readonly #byPath = new Map<string, JoinedRow>()
  readonly #outer: JoinScope | null
  readonly #aliases: { next: number }

  constructor(outer: JoinScope | null = null, rows: JoinedRow[] = [], aliases = { next: 1 }) {
    this.#outer = outer
    this.rows = rows
    this.#aliases = aliases
  }

  /** A scope for a subquery. It shares joins with the outer query, except on paths to many rows. */
  inner(): JoinScope {
    return new JoinScope(this, [], this.#aliases)
  }

  /** A scope in the same subquery, for the other side of a comparison. It shares no joins with this one. */
  sibling(): JoinScope {
    return new JoinScope(this.#outer, this.rows, this.#aliases)
  }

  /** A scope in the same FROM, for another rule. It shares no joins with this one. */
  apart(): JoinScope {
    return new JoinScope(null, this.rows, this.#aliases)
  }

  join(name: string, parent: JoinedRow | null, many: boolean, source: () => JoinSource): JoinedRow {
    if (this.#outer && !many && !parent?.inMany) return this.#outer.join(name, parent, many, source)
    const path = `${parent?.alias ?? ''}/${name}`
    let row = this.#byPath.get(path)
    if (!row) {
      row = new JoinedRow(`j${this.#aliases.next++}`, parent, many, source())
      this.#byPath.set(path, row)
      this.rows.push(row)
    }
    return row
  }
}
