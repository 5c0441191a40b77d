import { FilterError } from '../errors.ts'

/**
 * Where the groups of a filter end. Each bracket is paired once, however many groups are around it: the time
 * is linear in the length. Quotes hide brackets, comments do not.
 */
export class Brackets {
  readonly #text: string
  /** The closing bracket of each opening one. */
  readonly #closing = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** Where the group ends whose inside begins at `start`. Throws a FilterError where it does not. */
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

  /** Goes on behind a group that is known already. */
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
