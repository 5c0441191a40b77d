import { consentWordOf, isHelp } from '../../gateway/consent/consent-words.ts'
import { findJoinGroups } from '../../gateway/consent/joinable-groups.ts'
import { optWordsOf } from '../../gateway/messages/queue/opt-out.ts'
import { readOptWord } from '../../portable/opt-words.ts'
import type { CallServices } from './caller.ts'

/**
 * What a text says about later texts, by the words of the server and of the account; '' for other texts. A
 * word that joins a group counts as START. Twilio: "Twilio support for opt-out keywords"
 */
export async function optOutType(
  { store, config }: CallServices,
  user: string,
  text: unknown,
): Promise<'STOP' | 'START' | 'HELP' | ''> {
  const body = String(text ?? '')
  const isOut = readOptWord(body, await optWordsOf(store, user, config.optWords, [body]))
  if (isOut !== undefined) return isOut ? 'STOP' : 'START'
  if (isHelp(body)) return 'HELP'
  const word = consentWordOf(body, config.optWords, await findJoinGroups(store.db, user))
  return word?.kind === 'join' ? 'START' : ''
}
