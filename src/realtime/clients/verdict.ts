import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { Change } from '../changes/change.ts'
import type { Access } from './access.ts'
import { testLocally } from './local-test.ts'

/** What the database decides, if anything. */
export const questionOf = (access: Access): CompiledFilter | undefined =>
  access.kind === 'if' ? access.question : undefined

/** Whether a change may be seen; undefined where the database decides. */
export function judgeHere(access: Access, { collection, judgedRow }: Change): boolean | undefined {
  if (access.kind !== 'if') return access.kind === 'always'
  return judgedRow ? testLocally(access.condition, collection, judgedRow, access.params) : false
}

/** Questions by their text, each with its index in the list: one statement answers those of one text. */
export function openQuestions(
  accesses: readonly Access[],
  isOpen: (at: number) => boolean,
): Map<string, [at: number, question: CompiledFilter][]> {
  const open = new Map<string, [at: number, question: CompiledFilter][]>()
  for (const [at, access] of accesses.entries()) {
    const question = isOpen(at) ? questionOf(access) : undefined
    if (!question) continue
    const alike = open.get(question.key)
    if (alike) alike.push([at, question])
    else open.set(question.key, [[at, question]])
  }
  return open
}
