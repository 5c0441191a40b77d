import { t } from '../../language/words.ts'

/** What Node says when another server could not be called, and what it means. */
const FAULTS: readonly (readonly [told: RegExp, words: string])[] = [
  [/ECONNREFUSED/, t('Nothing answers at this address and port. Is the program running?')],
  [/ENOTFOUND|EAI_AGAIN/, t('There is no server of this name. Check the address for typing errors.')],
  [/ETIMEDOUT|TimeoutError|timed? ?out/i, t('There was no answer in time.')],
  [/ECONNRESET|EPIPE|socket hang up/, t('The connection was closed before an answer came.')],
  [/EHOSTUNREACH|ENETUNREACH/, t('The network has no way to this address.')],
  [/CERT_HAS_EXPIRED/, t('The certificate of the server has expired.')],
  [/self.signed|UNABLE_TO_VERIFY|CERT_/i, t('The certificate of the server is not trusted.')],
]

/** A technical message about a failed connection in words; undefined for one that is something else. */
export const connectionFault = (message: string): string | undefined =>
  FAULTS.find(([told]) => told.test(message))?.[1]
