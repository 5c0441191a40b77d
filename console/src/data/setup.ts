import { t } from '../language/words.ts'
import { useAnswer } from './use/use-answer.ts'

interface Setup {
  readonly has_superuser: boolean
  /** False if no mail server is set: mails are then written to the log. */
  readonly sends_mail: boolean
  /** Where people sign in by passkeys; '' while no person can. */
  readonly passkey_host: string
}

export const useSetup = () => useAnswer<Setup>('/api/setup')

export const NO_MAIL = t(
  'This server has no mail server, so nobody gets mail. Superusers find links and codes in the server’s log.',
)
