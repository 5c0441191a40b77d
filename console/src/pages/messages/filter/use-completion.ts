import { useState } from 'preact/hooks'
import { type Completion, completionAt, type Suggestion } from './complete.ts'

/** The list of suggestions, and the index of the chosen one (-1: none). */
export interface Offered {
  readonly completion: Completion
  readonly active: number
}

/** The state of the list below the filter. */
export function useCompletion() {
  const [offered, setOffered] = useState<Offered>()
  return {
    offered,
    close: () => setOffered(undefined),
    /** Opens the list. Chooses the first suggestion for an incomplete word, so that Enter takes it. */
    open(filter: string, cursor: number, isAsked: boolean) {
      const completion = completionAt(filter, cursor)
      const isDue = isAsked || completion.prefix !== '' || / $/.test(filter.slice(0, cursor))
      if (!isDue || completion.suggestions.length === 0) return setOffered(undefined)
      const isWhole = completion.suggestions.some(({ text }) => text === completion.prefix)
      setOffered({ completion, active: completion.prefix !== '' && !isWhole ? 0 : -1 })
    },
    step(by: 1 | -1) {
      setOffered((old) => {
        if (!old) return old
        const count = old.completion.suggestions.length
        const active = old.active < 0 && by < 0 ? count - 1 : (old.active + by + count) % count
        return { ...old, active }
      })
    },
  }
}

/** The chosen suggestion. */
export const chosenOf = (offered: Offered | undefined): Suggestion | undefined =>
  offered?.completion.suggestions[offered.active]
