import type { ErrorForm } from '../../http/context.ts'
import { sendError } from '../../http/middleware/error-forms.ts'

/** Errors as SMSGate's server answers them. */
export const messageForm: ErrorForm = (c, { status, message }) => sendError(c, status, { message })
