import { closeSync, openSync, readSync } from 'node:fs'

const PIECE_BYTES = 1 << 20
const END = -1
const byte = (character: string) => character.charCodeAt(0)
const [QUOTE, BACKSLASH, COMMA, COLON] = [byte('"'), byte('\\'), byte(','), byte(':')]
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [byte('{'), byte('}'), byte('['), byte(']')]
const isSpace = (at: number) => at === 0x20 || at === 0x0a || at === 0x0d || at === 0x09

/**
 * What stands in a JSON file's object: an item of the list `name`, or (with `item` undefined) that such a
 * list begins.
 */
export interface ListItem {
  readonly name: string
  readonly item: unknown
}

/**
 * A file that holds something else than an object of lists. `member`: the one that is no list; undefined if
 * it is no object.
 */
export class UnexpectedShape extends Error {
  readonly member: string | undefined
  constructor(member?: string) {
    super('not an object of lists')
    this.member = member
  }
}

/**
 * Reads the items of all lists in a JSON file's object one by one, in their order: no more than one of them
 * is in memory.
 * Throws a SyntaxError where the file is no JSON, UnexpectedShape where it is not such an object, and what
 * the system says of the file.
 */
export function* readMembers(file: string): Generator<ListItem> {
  const text = new Text(file)
  try {
    yield* membersOf(text)
  } finally {
    text.close()
  }
}

function* membersOf(text: Text): Generator<ListItem> {
  if (text.next() !== OPEN) {
    JSON.parse(text.value())
    throw new UnexpectedShape()
  }
  text.take(OPEN)
  for (const _ of text.until(CLOSE)) {
    const name: unknown = JSON.parse(text.value())
    if (typeof name !== 'string') throw new SyntaxError('A name in quotes expected')
    text.take(COLON)
    if (text.next() !== OPEN_LIST) {
      JSON.parse(text.value())
      throw new UnexpectedShape(name)
    }
    text.take(OPEN_LIST)
    yield { name, item: undefined }
    for (const _ of text.until(CLOSE_LIST)) yield { name, item: JSON.parse(text.value()) as unknown }
  }
  text.finish()
}

/** A file's JSON, read piece by piece. */
class Text {
  readonly #file: number
  readonly #piece = Buffer.alloc(PIECE_BYTES)
  #length = 0
  #at = 0

  constructor(file: string) {
    this.#file = openSync(file, 'r')
    if (this.next() !== 0xef) return
    for (const mark of [0xef, 0xbb, 0xbf]) this.take(mark)
  }

  /** The byte that comes next, after spaces; END at the end. */
  next(): number {
    while (this.#more()) {
      const at = this.#piece[this.#at]!
      if (!isSpace(at)) return at
      this.#at++
    }
    return END
  }

  take(expected: number): void {
    const found = this.next()
    if (found !== expected) throw unexpected(found)
    this.#at++
  }

  /**
   * Once for each item of a list or object whose bracket was taken, up to its `close`; the caller takes the
   * items.
   */
  *until(close: number): Generator<void> {
    if (this.next() !== close) {
      yield
      while (this.next() === COMMA) {
        this.#at++
        yield
      }
    }
    this.take(close)
  }

  finish(): void {
    if (this.next() !== END) throw unexpected(this.next())
  }

  /** The text of the value that comes next, whatever it is: whether it is JSON is for the parser to say. */
  value(): string {
    this.next()
    const scan = new Scan()
    const parts: Buffer[] = []
    while (this.#more()) {
      const from = this.#at
      this.#at = scan.end(this.#piece, from, this.#length)
      parts.push(Buffer.from(this.#piece.subarray(from, this.#at)))
      if (scan.isOver) break
    }
    return Buffer.concat(parts).toString('utf8')
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Whether there is a byte at #at; reads the next piece if need be. */
  #more(): boolean {
    if (this.#at < this.#length) return true
    this.#length = readSync(this.#file, this.#piece)
    this.#at = 0
    return this.#length > 0
  }
}

/** Where a value ends, over any number of pieces. */
class Scan {
  isOver = false
  #depth = 0
  #isInText = false
  #isEscaped = false

  /** The place in `piece` behind the value, or `length` if it goes on in the next one. */
  end(piece: Buffer, from: number, length: number): number {
    for (let i = from; i < length; i++) {
      const at = piece[i]!
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (at === BACKSLASH) this.#isEscaped = true
        else if (at === QUOTE) {
          this.#isInText = false
          if (this.#depth === 0) return this.#over(i + 1)
        }
      } else if (at === QUOTE) this.#isInText = true
      else if (at === OPEN || at === OPEN_LIST) this.#depth++
      else if (at === CLOSE || at === CLOSE_LIST) {
        if (this.#depth === 0) return this.#over(i)
        if (--this.#depth === 0) return this.#over(i + 1)
      } else if (this.#depth === 0 && (at === COMMA || at === COLON || isSpace(at))) return this.#over(i)
    }
    return length
  }

  #over(place: number): number {
    this.isOver = true
    return place
  }
}

const unexpected = (at: number) =>
  new SyntaxError(at === END ? 'Unexpected end' : `Unexpected ${JSON.stringify(String.fromCharCode(at))}`)
