import type { Store } from '../../engine/collections/catalog.ts'
import { type OptWords, readOptWord } from '../../portable/read-opt-word.ts'
import type { TextWithSubject } from '../../portable/written-words.ts'
import { isHelp, readConsentWord } from './consent-words.ts'
import { findJoinGroups } from './joinable-groups.ts'
import { readOptWords } from './set-opted-out.ts'

/**
 * The meaning of a text for later texts, by the words of the server and of the account; '' for other texts. A
 * word that joins a group counts as START.
 */
export async function readTextEffect(
  store: Pick<Store, 'db'>,
  user: string,
  words: OptWords,
  text: TextWithSubject,
): Promise<'STOP' | 'START' | 'HELP' | ''> {
  const isOut = readOptWord(text, await readOptWords(store, user, words, [text]))
  if (isOut !== undefined) return isOut ? 'STOP' : 'START'
  if (isHelp(text)) return 'HELP'
  const word = readConsentWord(text, words, await findJoinGroups(store.db, user))
  return word?.kind === 'join' ? 'START' : ''
}
