import { Transform, type TransformCallback } from 'node:stream'

const LF = 10
const CR = 13
const NEW_LINE = Buffer.from('\r\n')
const EMPTY_PART = Buffer.from('\r\n\r\n\r\n')
/** What may stand behind a boundary: a blank, the end of a line, the dashes of the last one. */
const BEHIND = new Set([...Buffer.from(' \t\r\n-')])
/** A first line longer than that is no boundary: RFC 2046 allows 70 characters. */
const MAX_FIRST_LINE = 200
/** Of the head of a part: what is longer is left to the parser. */
const MAX_LINE = 16 << 10

type Place = 'start' | 'head' | 'content' | 'passing'

/**
 * A multipart form whose lines end with a line feed alone, as some simple devices write it, becomes one as it
 * should be; any other passes through as it is, one without any part with a part that means nothing. The
 * first boundary tells. Go: mime/multipart, isBoundaryDelimiterLine
 */
export class LineFeeds extends Transform {
  readonly #boundary: Buffer
  readonly #delimiter: Buffer
  #place: Place = 'start'
  #held: Buffer = Buffer.alloc(0)

  /** `boundary` as the content type has it. */
  constructor(boundary: string) {
    super()
    this.#boundary = Buffer.from(`--${boundary}`)
    this.#delimiter = Buffer.from(`\n--${boundary}`)
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#held = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    while (this.#advance()) {
      // there may be more of it
    }
    done()
  }

  override _flush(done: TransformCallback): void {
    const isEmpty = this.#place === 'start' && this.#held.toString('latin1') === `${this.#boundary}--`
    if (isEmpty) this.#giveEmptyPart()
    this.#give(this.#held.length)
    done()
  }

  /** True if it came a step further. */
  #advance(): boolean {
    if (this.#held.length === 0) return false
    if (this.#place === 'start') return this.#begin()
    if (this.#place === 'head') return this.#readLine()
    if (this.#place === 'content') return this.#readContent()
    this.#give(this.#held.length)
    return false
  }

  /** What stands before the first boundary means nothing. */
  #begin(): boolean {
    const end = this.#held.indexOf(LF)
    if (end < 0 && this.#held.length < MAX_FIRST_LINE) return false
    const line = withoutBlanks(this.#held.subarray(0, Math.max(end, 0)).toString('latin1'))
    const boundary = this.#boundary.toString('latin1')
    if (line === boundary) this.#place = 'head'
    else if (line === `${boundary}--\r`) this.#giveEmptyPart()
    else if (end < 0 || line === `${boundary}\r`) this.#place = 'passing'
    else this.#held = this.#held.subarray(end + 1)
    return true
  }

  /** A boundary's line or one of a part's head; an empty one is its last. */
  #readLine(): boolean {
    const end = this.#held.indexOf(LF)
    if (end < 0) {
      if (this.#held.length > MAX_LINE) this.#place = 'passing'
      return this.#place === 'passing'
    }
    const length = this.#held[end - 1] === CR ? end - 1 : end
    this.#give(length)
    this.push(NEW_LINE)
    this.#held = this.#held.subarray(end - length + 1)
    if (length === 0) this.#place = 'content'
    return true
  }

  #readContent(): boolean {
    const at = this.#held.indexOf(this.#delimiter)
    if (at < 0) {
      this.#give(Math.max(0, this.#held.length - this.#delimiter.length + 1))
      return false
    }
    const behind = this.#held[at + this.#delimiter.length]
    if (behind === undefined) return false
    if (!BEHIND.has(behind)) this.#give(at + 1)
    else this.#endContent(at)
    return true
  }

  #endContent(at: number): void {
    this.#give(at)
    this.push(NEW_LINE)
    this.#held = this.#held.subarray(1)
    this.#place = 'head'
  }

  /** The parser wants a part, if only one without a name. */
  #giveEmptyPart(): void {
    this.#held = Buffer.concat([this.#boundary, EMPTY_PART, this.#boundary, Buffer.from('--\r\n')])
    this.#place = 'passing'
  }

  #give(length: number): void {
    if (length > 0) this.push(this.#held.subarray(0, length))
    this.#held = this.#held.subarray(length)
  }
}

/** Without blanks at its end: a regular expression would need quadratic time. */
function withoutBlanks(line: string): string {
  let end = line.length
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end--
  return line.slice(0, end)
}
