import { type OptWords, readOptWord } from '../../portable/read-opt-word.ts'
import { HELP_WORDS, YES_WORDS } from './consent-texts.ts'
import type { JoinGroup } from './joinable-groups.ts'

const isOneWord = (body: string, words: readonly string[]) =>
  readOptWord(body, { out: words, in: [] }) === true

/** Whether a whole text asks for help. */
export const isHelp = (body: string): boolean => isOneWord(body, HELP_WORDS)

/** What a text says about consent, besides opt-out words. `group`: the id of the group that it joins. */
type ConsentWord =
  | { readonly kind: 'join'; readonly group: string }
  | { readonly kind: 'yes' | 'help' }

/**
 * Reads a whole text as a word that joins, confirms or asks for help. A word that opts out is none of them;
 * one that opts in may confirm. Only accounts with groups that people join by themselves
 * answer a text for help.
 */
export function readConsentWord(
  body: string,
  words: OptWords,
  groups: readonly JoinGroup[],
): ConsentWord | undefined {
  const isOut = readOptWord(body, words)
  if (isOut === true) return undefined
  if (isOneWord(body, YES_WORDS)) return { kind: 'yes' }
  if (isOut === false || groups.length === 0) return undefined
  if (isHelp(body)) return { kind: 'help' }
  const group = groups.find((one) => isOneWord(body, one.words.split(',')))
  return group && { kind: 'join', group: group.id }
}
