const isSpace = (c: string | undefined) => c !== undefined && c !== '' && '\t\n\x0c\r '.includes(c)

/** An attribute of a tag; `more`: another one may follow. */
export interface Attribute {
  readonly name: string
  readonly value: string
  readonly more: boolean
}

const END: Attribute = { name: '', value: '', more: false }

/**
 * A place in a text of tags, which moves on as it is read. A NUL is its end. https://html.spec.whatwg.org,
 * prescan a byte stream; PocketBase: mimetype's internal/markup
 */
export class MarkupReader {
  readonly text: string
  at: number

  constructor(text: string, at = 0) {
    this.text = text
    this.at = at
  }

  get rest(): string {
    return this.text.slice(this.at)
  }

  get next(): string | undefined {
    return this.text[this.at]
  }

  skipSpace(also = ''): void {
    while (isSpace(this.next) || (also !== '' && this.next === also)) this.at++
  }

  /** True when a whole comment was skipped. */
  skipComment(): boolean {
    if (!this.text.startsWith('<!--', this.at)) return false
    const end = this.text.indexOf('-->', this.at + 2)
    if (end < 0) return false
    this.at = end + 3
    return true
  }

  /** The next attribute; an empty one at the end of a tag. */
  attribute(): Attribute {
    this.skipSpace('/')
    if (this.next === '>') return END
    const start = this.at
    for (;;) {
      const c = this.pop()
      const name = this.text.slice(start, this.at - 1)
      if (c === undefined) return END
      if (c === '=' && name !== '') return { name, ...this.#value() }
      if (c === '/' || c === '>') return { name, value: '', more: false }
      if (!isSpace(c)) continue
      this.skipSpace()
      if (this.next !== '=') return { name, value: '', more: true }
      this.at++
      return { name, ...this.#value() }
    }
  }

  #value(): Omit<Attribute, 'name'> {
    this.skipSpace()
    const start = this.at
    const first = this.pop()
    if (first === undefined || first === '>') return { value: '', more: false }
    if (first === '"' || first === "'") {
      const end = this.text.indexOf(first, this.at)
      if (end < 0) return { value: '', more: false }
      const value = this.text.slice(this.at, end)
      this.at = end + 1
      return { value, more: this.next !== undefined && this.next !== '\0' && this.next !== '>' }
    }
    for (;;) {
      const c = this.pop()
      if (c === undefined) return { value: '', more: false }
      const value = this.text.slice(start, this.at - 1)
      if (isSpace(c)) return { value, more: true }
      if (c === '>') return { value, more: false }
    }
  }

  /** The next character; undefined at the end. */
  pop(): string | undefined {
    const c = this.text[this.at]
    if (c === undefined) return undefined
    this.at++
    return c === '\0' ? undefined : c
  }
}
