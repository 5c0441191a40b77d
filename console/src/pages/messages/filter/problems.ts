import { t } from '../../../language/words.ts'
import { type Parse, syntaxFault } from './grammar.ts'
import { meaningProblems } from './meaning.ts'
import type { Problem } from './problem.ts'
import { syntaxProblem } from './syntax.ts'

/** As the server has it. */
const MAX_BYTES = 3500

/**
 * What is wrong with a filter, from its beginning on; nothing for an empty one. Only doubts: the server takes
 * it.
 */
export function problemsOf(parse: Parse, filter: string, isSuperuser: boolean): readonly Problem[] {
  if (filter.trim() === '') return []
  const bytes = new TextEncoder().encode(filter).length
  if (bytes > MAX_BYTES)
    return [
      {
        start: 0,
        end: filter.length,
        message: t('A filter has at most {max} bytes; this one has {bytes}.', { max: MAX_BYTES, bytes }),
      },
    ]
  const fault = syntaxFault(parse, filter)
  return fault ? [syntaxProblem(filter, fault)] : meaningProblems(filter, isSuperuser)
}
