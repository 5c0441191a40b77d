import type { Collection } from '../collections/collection.ts'
import { columnName } from '../collections/names.ts'
import { storageOf } from '../filter/row.ts'
import { columnsOf, type Row } from '../records/columns.ts'
import { remember } from '../records/remember.ts'

/** Says of a record whether a condition holds, with the values of its parameters. */
export type Test = (row: Row, params: readonly unknown[]) => boolean

/** `b."name"`, then nothing (a bool) or a comparison with a parameter or a constant. */
const TERM = /b\."((?:[^"]|"")+)"(?: (=|<>) (?:\$(\d+)::text|'((?:[^']|'')*)'))?(?![^ )])/y

/**
 * A compiled condition as a function, if it does no more than compare the record's own texts and bools for equality:
 * most rules do (`user = @request.auth.id`), and need no query then, however many listen. Texts are equal here when
 * they are in the database: both compare them byte by byte. Undefined for any other condition.
 */
export function plainTest(collection: Collection, where: string): Test | undefined {
  const known = testsOf(collection)
  if (!known.has(where)) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(where, new Reader(collection, where).read())
  }
  return known.get(where)
}

const MAX_KNOWN = 500
const testsOf = remember((_: Collection) => new Map<string, Test | undefined>())

/** `a AND (b OR c)`, as the compiler writes it. */
class Reader {
  readonly #collection: Collection
  readonly #text: string
  #at = 0

  constructor(collection: Collection, text: string) {
    this.#collection = collection
    this.#text = text
  }

  read(): Test | undefined {
    const test = this.#text === '' ? () => true : this.#either()
    return this.#at === this.#text.length ? test : undefined
  }

  #either(): Test | undefined {
    return this.#list(
      ' OR ',
      () => this.#all(),
      (tests) => (row, params) => tests.some((test) => test(row, params)),
    )
  }

  #all(): Test | undefined {
    return this.#list(
      ' AND ',
      () => this.#one(),
      (tests) => (row, params) => tests.every((test) => test(row, params)),
    )
  }

  #list(word: string, item: () => Test | undefined, join: (tests: Test[]) => Test): Test | undefined {
    const tests: Test[] = []
    do {
      const test = item()
      if (!test) return undefined
      tests.push(test)
    } while (this.#take(word))
    return tests.length === 1 ? tests[0] : join(tests)
  }

  #one(): Test | undefined {
    if (!this.#take('(')) return this.#term()
    const test = this.#either()
    return this.#take(')') ? test : undefined
  }

  #term(): Test | undefined {
    TERM.lastIndex = this.#at
    const match = TERM.exec(this.#text)
    if (!match) return undefined
    this.#at = TERM.lastIndex
    const [, column, operator, position, constant] = match
    const name = column!.replaceAll('""', '"')
    const field = this.#collection.fields.find((one) => columnName(one.name) === name)
    if (!field || storageOf(field) !== (operator ? 'text' : 'bool')) return undefined
    const at = columnsOf(this.#collection).at.get(field.name)!
    if (!operator) return (row) => row[at] === true
    const fixed = constant?.replaceAll("''", "'")
    const value = (params: readonly unknown[]) => (position ? params[Number(position) - 1] : fixed)
    return operator === '='
      ? (row, params) => row[at] === value(params)
      : (row, params) => row[at] !== value(params)
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }
}
