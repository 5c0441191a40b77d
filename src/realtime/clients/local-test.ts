import type { Collection } from '../../collections/collection.ts'
import { columnName } from '../../collections/names.ts'
import { storageOf } from '../../filter/resolve/row.ts'
import { columnsOf, type RecordRow } from '../../records/columns.ts'
import { memoize } from '../../tools/memoize.ts'

/** Says of a record whether a condition holds, with the values of its parameters. */
export type Test = (row: RecordRow, params: readonly unknown[]) => boolean

/** `b."name"`, then nothing (a bool) or a comparison with a parameter or a constant. */
const TERM = /b\."((?:[^"]|"")+)"(?: (=|<>) (?:\$(\d+)::text|'((?:[^']|'')*)'))?(?![^ )])/y

/** What of a condition can be decided here. */
export interface LocalTest {
  /** False only where the condition is false. */
  readonly test: Test
  /** The test is the whole condition: true only where that is true. */
  readonly isWhole: boolean
}

/**
 * What a compiled condition says of the record's own texts and bools by comparing them for equality. Most
 * rules do no more (`user = @request.auth.id`) and need no query then, however many listen; of `a AND b` the
 * part that is plain leaves few to ask for. Texts are equal here when they are in the database: both compare
 * them byte by byte. Undefined for a condition without any such part.
 */
export function localTestOf(collection: Collection, where: string): LocalTest | undefined {
  if (where.length > MAX_KNOWN_LENGTH) return read(collection, where)
  const known = plainsOf(collection)
  if (!known.has(where)) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(where, read(collection, where))
  }
  return known.get(where)
}

const MAX_KNOWN = 500
/** A longer one, out of a client's filter, is read each time it comes. */
const MAX_KNOWN_LENGTH = 2_000
const plainsOf = memoize((_: Collection) => new Map<string, LocalTest | undefined>())

function read(collection: Collection, where: string): LocalTest | undefined {
  const whole = new Reader(collection, where).read()
  if (whole) return { test: whole, isWhole: true }
  const tests = conjuncts(where).flatMap((part) => new Reader(collection, part).read() ?? [])
  return tests.length === 0
    ? undefined
    : { test: (...of) => tests.every((test) => test(...of)), isWhole: false }
}

/** A quoted text or name, or one character. */
const PIECE = /'(?:[^']|'')*'|"(?:[^"]|"")*"| AND | OR |./gs

/**
 * The parts of `a AND b` that are not in brackets, as the compiler's CASEs are; none where an OR is between
 * them.
 */
function conjuncts(where: string): string[] {
  const parts = ['']
  let depth = 0
  for (const [piece] of where.matchAll(PIECE)) {
    if (piece === '(') depth++
    if (piece === ')') depth--
    if (depth === 0 && piece === ' OR ') return []
    if (depth === 0 && piece === ' AND ') parts.push('')
    else parts.push(parts.pop() + piece)
  }
  return parts
}

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
