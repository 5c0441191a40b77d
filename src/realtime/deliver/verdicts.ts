import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'

/** What the database said of one change to clients' questions: equal ones are asked once, whoever asks. */
export class Verdicts {
  readonly #known = new Map<string, Promise<boolean>>()

  /**
   * Answers in the order of questions. `ask` is given those that are new. Throws what it throws, to all who
   * wait for that.
   */
  async of(
    questions: readonly CompiledFilter[],
    ask: (fresh: readonly CompiledFilter[]) => Promise<readonly boolean[]>,
  ): Promise<boolean[]> {
    const keys = questions.map(({ key, params }) => `${key} ${JSON.stringify(params)}`)
    const fresh = new Map<string, CompiledFilter>()
    for (const [i, key] of keys.entries()) if (!this.#known.has(key)) fresh.set(key, questions[i]!)
    if (fresh.size > 0) {
      const answers = ask([...fresh.values()])
      for (const [i, key] of [...fresh.keys()].entries()) {
        const answer = answers.then((all) => all[i]!)
        answer.catch(() => {})
        this.#known.set(key, answer)
      }
    }
    return Promise.all(keys.map((key) => this.#known.get(key)!))
  }
}
