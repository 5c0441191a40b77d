import type { ErrorForm } from '../../http/context.ts'
import { sendError } from '../../http/middleware/error-forms.ts'
import { errorBody, refusalFor } from './refusal.ts'

/** Errors as Twilio's API answers them. */
export const twilioForm: ErrorForm = (c, error) => {
  const refusal = refusalFor(error)
  if (refusal.status === 401) c.header('www-authenticate', 'Basic realm="Twilio API"')
  return sendError(c, refusal.status, errorBody(refusal))
}
