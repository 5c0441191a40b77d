import { answerableFault, DatabaseUnavailable } from '../../db/errors.ts'
import { ApiError, GatewayError } from '../../errors.ts'
import type { Logger } from '../../log.ts'

/** An SMTP reply that refuses a command. RFC 5321, 4.2.3 */
export class SmtpRefusal extends Error {
  override name = 'SmtpRefusal'
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** SMTP codes by HTTP status. Other statuses are 550 below 429, else 451, after which senders try again. */
const CODES: Readonly<Record<number, number>> = { 401: 535, 413: 552 }

/** The reply for a thrown error. An unknown one is a bug, and logged. */
export function refusalOf(thrown: unknown, log: Logger): SmtpRefusal {
  if (thrown instanceof SmtpRefusal) return thrown
  const error = answerableFault(thrown, false)
  if (error instanceof ApiError || error instanceof GatewayError)
    return new SmtpRefusal(CODES[error.status] ?? (error.status < 429 ? 550 : 451), error.message)
  const isAway = error instanceof DatabaseUnavailable
  log.error({ err: isAway ? error.cause : error }, isAway ? 'the database is unreachable' : 'a mail failed')
  return new SmtpRefusal(451, 'The server cannot store mails now. Try again later.')
}
