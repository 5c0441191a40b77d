import { object, text } from '../../collections/definition/decode.ts'

/** Forms that several ways to sign in share. */
export interface EmailForm {
  email: string
}
export const EMAIL_FORM = object<EmailForm>({ email: text })
