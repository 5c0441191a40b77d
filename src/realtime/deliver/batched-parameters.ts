import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { SqlText } from '../../filter/sql/sql.ts'
import type { Parameters } from '../../records/parameters.ts'

/**
 * Questions of one text as a table `s` of a statement: their number `n`, from 1, and a column for each
 * parameter in which they differ. Values that all share stay parameters.
 */
export class BatchedParameters {
  readonly #questions: readonly CompiledFilter[]
  readonly #parameters: Parameters
  readonly #shared = new Map<number, string>()
  readonly #columns = new Map<number, string>()

  constructor(questions: readonly CompiledFilter[], parameters: Parameters) {
    this.#questions = questions
    this.#parameters = parameters
  }

  /** SQL of the question with its parameters replaced. */
  write({ text, places }: SqlText): string {
    let written = ''
    let end = 0
    for (const place of places) {
      written += text.slice(end, place.start) + this.#value(place.index, place.cast)
      end = place.end
    }
    return written + text.slice(end)
  }

  /** Whether the questions differ in a parameter of this SQL. */
  differIn({ places }: SqlText): boolean {
    return places.some(({ index }) => this.#differAt(index))
  }

  /** The table with its columns. Call it after all SQL was written. */
  table(): string {
    const numbers = this.#parameters.add(
      this.#questions.map((_, i) => i + 1),
      'int[]',
    )
    const names = [...this.#columns.keys()].map((at) => `p${at}`)
    return `unnest(${[numbers, ...this.#columns.values()].join(', ')}) s(${['n', ...names].join(', ')})`
  }

  #differAt(at: number): boolean {
    const first = this.#questions[0]!.params[at]
    return this.#questions.some(({ params }) => !isSame(params[at], first))
  }

  #value(at: number, type: string): string {
    if (!this.#differAt(at)) {
      const known = this.#shared.get(at) ?? this.#parameters.add(this.#questions[0]!.params[at], type)
      this.#shared.set(at, known)
      return known
    }
    // Postgres has no array of arrays of different length: each is sent as text
    const isList = type.endsWith('[]')
    if (!this.#columns.has(at)) {
      const values = this.#questions.map(({ params }) => (isList ? listText(params[at]) : params[at]))
      this.#columns.set(at, this.#parameters.add(values, isList ? 'text[]' : `${type}[]`))
    }
    return isList ? `s.p${at}::${type}` : `s.p${at}`
  }
}

const isSame = (a: unknown, b: unknown) =>
  a === b || (Array.isArray(a) && Array.isArray(b) && listText(a) === listText(b))

/** An array literal of Postgres: `{"a","b\\"c"}`. */
const listText = (values: unknown) =>
  `{${(values as readonly unknown[]).map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`
