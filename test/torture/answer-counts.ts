/** Answers by what they say. */
export class AnswerCounts {
  readonly #counts = new Map<string, number>()

  /** Undefined: no whole answer came. */
  add(answer: Response | undefined): void {
    const isBare = answer?.status === 503 && !answer.headers.has('retry-after')
    const name = answer ? `${answer.status}${isBare ? ' without Retry-After' : ''}` : 'no answer'
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** How many there were of a name: a status, a 503 without Retry-After, no answer. */
  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** All but 200, and 503 with Retry-After. */
  strange(): string[] {
    const others = [...this.#counts].filter(([name]) => name !== '200' && name !== '503')
    return others.map(([name, count]) => `answered ${count} times: ${name}`)
  }
}
