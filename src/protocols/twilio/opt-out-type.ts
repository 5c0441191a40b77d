import { type OptWords, readOptWord } from '../../portable/opt-words.ts'
import { optWordsOf } from '../../sms/queue/opt-out.ts'
import type { CallServices } from './caller.ts'

/** Words that ask for help. Twilio: "Twilio support for opt-out keywords" */
const HELP_WORDS: OptWords = { out: ['HELP', 'INFO'], in: [] }

/** What a text says about later texts, by the words of the server and of the account; '' for other texts. */
export async function optOutType(
  { store, config }: CallServices,
  user: string,
  text: unknown,
): Promise<'STOP' | 'START' | 'HELP' | ''> {
  const body = String(text ?? '')
  const isOut = readOptWord(body, await optWordsOf(store, user, config.optWords, [body]))
  if (isOut !== undefined) return isOut ? 'STOP' : 'START'
  return readOptWord(body, HELP_WORDS) ? 'HELP' : ''
}
