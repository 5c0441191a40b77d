import { t } from '../../language/words.ts'

/** Node's messages for failed connections, in words for people. */
const FAULTS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/ECONNREFUSED/, t('Nothing answers at this address and port. Is the program running?')],
  [/ENOTFOUND|EAI_AGAIN/, t('There is no server of this name. Check the address for typing errors.')],
  [/ETIMEDOUT|TimeoutError|timed? ?out/i, t('There was no answer in time.')],
  [/ECONNRESET|EPIPE|socket hang up/, t('The connection was closed before an answer came.')],
  [/EHOSTUNREACH|ENETUNREACH/, t('The network has no way to this address.')],
  [/CERT_HAS_EXPIRED/, t('The certificate of the server has expired.')],
  [/self.signed|UNABLE_TO_VERIFY|CERT_/i, t('The certificate of the server is not trusted.')],
]

/** A message about a failed connection in words for people; undefined for any other message. */
export const connectionFault = (message: string): string | undefined =>
  FAULTS.find(([pattern]) => pattern.test(message))?.[1]
