import { RetryLater } from '../../errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'

type Ask = (questions: readonly CompiledFilter[]) => Promise<readonly boolean[]>

/** What the database answered about one change. Equal questions of several holders are asked once. */
export class SharedAnswers {
  readonly #known = new Map<string, Promise<boolean>>()

  /** Answers in the order of questions. Calls `ask` for those that are new. Throws what that throws. */
  async of(questions: readonly CompiledFilter[], ask: Ask): Promise<readonly boolean[]> {
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
    try {
      return await Promise.all(keys.map((key) => this.#known.get(key)!))
    } catch (error) {
      // refused to another holder
      if (error instanceof RetryLater && fresh.size === 0) return ask(questions)
      throw error
    }
  }
}
