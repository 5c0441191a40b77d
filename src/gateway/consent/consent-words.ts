import { isOneWordOf, type OptWords, readOptWord } from '../../portable/read-opt-word.ts'
import type { TextWithSubject } from '../../portable/written-words.ts'
import { HELP_WORDS, YES_WORDS } from './consent-texts.ts'
import type { JoinGroup } from './joinable-groups.ts'

/** Whether a whole text asks for help. */
export const isHelp = (text: TextWithSubject): boolean => isOneWordOf(text, HELP_WORDS)

/** A statement of a text about consent, besides opt-out words. `group`: the id of the group that it joins. */
type ConsentWord =
  | { readonly kind: 'join'; readonly group: string }
  | { readonly kind: 'yes' | 'help' }

/**
 * Reads a whole text as a word that joins, confirms or asks for help. A word that opts out is none of them;
 * one that opts in may confirm. Only accounts with groups that people join by themselves
 * answer a text for help.
 */
export function readConsentWord(
  text: TextWithSubject,
  words: OptWords,
  groups: readonly JoinGroup[],
): ConsentWord | undefined {
  const isOut = readOptWord(text, words)
  if (isOut === true) return undefined
  if (isOneWordOf(text, YES_WORDS)) return { kind: 'yes' }
  if (isOut === false || groups.length === 0) return undefined
  if (isHelp(text)) return { kind: 'help' }
  const group = groups.find((one) => isOneWordOf(text, one.words.split(',')))
  return group && { kind: 'join', group: group.id }
}
