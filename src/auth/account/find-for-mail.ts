import { checkFields, email, length, required } from '../../collections/checks/checks.ts'
import { object, text, type ValueOf } from '../../fields/shape.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findByEmail } from '../auth-rows.ts'
import { type AuthCall, attemptOf } from '../auth-services.ts'
import { limitMails } from '../limits/attempt-limits.ts'

export const EMAIL_FORM = object({ email: text })
export type EmailForm = ValueOf<typeof EMAIL_FORM>

/** The record of a typed address; null for an unknown one or a disabled user. Throws 400, 429. */
export async function findForMail(call: AuthCall<EmailForm>): Promise<AuthRecord | null> {
  const form = await call.readForm()
  checkFields(form, { email: [required, length(1, 255), email] })
  await limitMails(attemptOf(call, form.email))
  const auth = await findByEmail(call.store, call.collection, form.email)
  return auth && !auth.isDisabled ? auth : null
}
