import { object, text } from '../../collections/definition/decode.ts'

/** The forms that more than one way of signing in submits. */
export interface EmailForm {
  email: string
}
export const EMAIL_FORM = object<EmailForm>({ email: text })
