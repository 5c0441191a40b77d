import type { Store } from '../../collections/catalog.ts'
import type { Change } from '../changes/change.ts'
import type { Access } from '../clients/access.ts'
import { judgeHere, openQuestions } from '../clients/verdict.ts'
import { matchQueries } from './match-queries.ts'

/** Whether a change may be seen, for each access. Questions of one text are one statement. */
export async function decide(store: Store, change: Change, accesses: readonly Access[]): Promise<boolean[]> {
  const verdicts = accesses.map((access) => judgeHere(access, change))
  for (const group of openQuestions(accesses, (at) => verdicts[at] === undefined).values()) {
    const questions = group.map(([, question]) => question)
    const answers = await matchQueries(store, change, questions)
    for (const [i, [at]] of group.entries()) verdicts[at] = answers[i]
  }
  return verdicts.map((verdict) => verdict === true)
}
