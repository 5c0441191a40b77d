import { matchesAnyCase } from '../../fields/values/pattern.ts'

/** How an automatic answer chooses its texts. */
export const MATCHES = ['any', 'words', 'contains', 'pattern'] as const
export type Match = (typeof MATCHES)[number]

/** Characters of a text that are compared. */
const MAX_TEXT = 1_600

/**
 * Whether an answer is for a text. `words`: the text is one of the words in `value`, which commas separate;
 * `contains`: it contains one of them; `pattern`: it matches an RE2 expression, which takes linear time.
 * Upper and lower case are the same. False for an invalid expression.
 */
export function matches(kind: Match, value: string, body: string): boolean {
  if (kind === 'any') return true
  const text = body.slice(0, MAX_TEXT)
  if (kind === 'pattern') return matchesAnyCase(value, text)
  const words = value
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter(Boolean)
  const lower = text.trim().toLowerCase()
  return kind === 'words' ? words.includes(lower) : words.some((word) => lower.includes(word))
}
