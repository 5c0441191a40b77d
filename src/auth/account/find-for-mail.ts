import { checkFields, email, length, required, when } from '../../collections/checks/checks.ts'
import { object, text, type ValueOf } from '../../fields/shape.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findByEmail } from '../auth-rows.ts'
import { type AuthCall, attemptOf } from '../auth-services.ts'
import { limitMails } from '../limits/attempt-limits.ts'
import { findByNumber, isNumber } from '../mail/otp-text.ts'

export const EMAIL_FORM = object({ email: text })
export type EmailForm = ValueOf<typeof EMAIL_FORM>

/** The record of a typed address; null for an unknown one or a disabled user. Throws 400, 429. */
export const findForMail = (call: AuthCall<EmailForm>) => find(call, false)

/** The same for a one-time password, where the address may be a number if it is texted. */
export const findForOtp = (call: AuthCall<EmailForm>) => find(call, true)

async function find(call: AuthCall<EmailForm>, takesNumbers: boolean): Promise<AuthRecord | null> {
  const { store, collection } = call
  const form = await call.readForm()
  const isByNumber = takesNumbers && isNumber(collection, form.email)
  checkFields(form, { email: [required, length(1, 255), when(!isByNumber, email)] })
  await limitMails(attemptOf(call, form.email))
  const auth = await (isByNumber ? findByNumber : findByEmail)(store, collection, form.email)
  return auth && !auth.isDisabled ? auth : null
}
