import { FilterError } from '../errors.ts'

/** Finds where groups end, in linear time. Quotes hide brackets, comments do not. */
export class Brackets {
  readonly #text: string
  /** Closing bracket by opening bracket. */
  readonly #closing = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** The end of the group whose content begins at `start`. Throws a FilterError if it is not closed. */
  closingOf(start: number): number {
    const known = this.#closing.get(start - 1)
    if (known !== undefined) return known
    const open = [start - 1]
    for (let i = start; i < this.#text.length; i++) {
      const char = this.#text[i]
      if (char === "'" || char === '"') i = this.#closingQuote(i)
      else if (char === '(') i = this.#open(i, open)
      else if (char === ')') this.#closing.set(open.pop()!, i)
      if (open.length === 0) return i
    }
    throw new FilterError(`invalid formatted group - missing ${open.length} closing bracket(s)`)
  }

  /** Continues after a group that is paired already. */
  #open(at: number, open: number[]): number {
    const known = this.#closing.get(at)
    if (known === undefined) open.push(at)
    return known ?? at
  }

  #closingQuote(at: number): number {
    for (let i = at + 1; i < this.#text.length; i++) {
      if (this.#text[i] === '\\') i++
      else if (this.#text[i] === this.#text[at]) return i
    }
    throw new FilterError(`invalid quoted text ${JSON.stringify(this.#text.slice(at))}`)
  }
}
