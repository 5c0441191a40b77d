import { sendError, sendMessageError } from '../../http/middleware/answer-errors.ts'
import type { ErrorForm } from '../../http/request-context.ts'

/** The sentence that explains an error. For status 400 it begins with SMSEagle's words. */
const explainEagleError = ({ status, message }: { status: number; message: string }): string =>
  status === 400 ? `Wrong parameters: ${message}` : message

/** An error in JSON-RPC. `result`: a sentence, or an object if the request's `responsetype` is `extended`. */
export const makeRpcErrorForm =
  (isExtended: boolean): ErrorForm =>
  (c, error) => {
    const error_text = explainEagleError(error)
    return sendError(c, error.status, {
      result: isExtended ? { error_text, status: 'error' } : error_text,
    })
  }

/** Errors in the form of one of SMSEagle's APIs. The path decides which one, even a path without a route. */
export const sendEagleError: ErrorForm = (c, error) => {
  if (c.req.path.startsWith('/api/')) return sendMessageError(c, error)
  if (c.req.path.startsWith('/jsonrpc')) return makeRpcErrorForm(false)(c, error)
  return c.text(explainEagleError(error), error.status as 400)
}
