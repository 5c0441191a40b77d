import { useEffect, useState } from 'preact/hooks'
import { session } from '../../../data/session.ts'
import type { Problem } from './problem.ts'

/** Delay of the check, so that incomplete filters are not marked during typing. */
const CALM_MS = 600

interface Checked {
  readonly filter: string
  readonly problem: Problem | undefined
}

/**
 * Loads the parser when the first filter is checked. Undefined when it could not be loaded: the server
 * checks, too.
 */
async function firstProblem(filter: string): Promise<Problem | undefined> {
  if (filter.trim() === '') return undefined
  const loaded = await import('./check.ts').catch(() => undefined)
  return loaded?.check(filter, session.value?.role === 'superuser')[0]
}

/**
 * The first problem of the typed filter, and `check`, which finds it at once. Drops problems of older texts.
 */
export function useProblem(filter: string): {
  problem: Problem | undefined
  check: () => Promise<Problem | undefined>
} {
  const [checked, setChecked] = useState<Checked>({ filter: '', problem: undefined })
  const check = async () => {
    const problem = await firstProblem(filter)
    setChecked({ filter, problem })
    return problem
  }
  useEffect(() => {
    const timer = setTimeout(() => void check(), CALM_MS)
    return () => clearTimeout(timer)
  }, [filter])
  return { problem: checked.filter === filter ? checked.problem : undefined, check }
}
