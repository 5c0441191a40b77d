import { badRequest, makeFieldError } from '../../platform/api-errors.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { Language } from '../../portable/languages.ts'
import type { Store } from '../collections/catalog.ts'
import { type AuthCollection, SUPERUSERS } from '../collections/collection.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import {
  type Check,
  checkAllowed,
  checkEmail,
  checkFields,
  checkLength,
  checkRequired,
} from '../fields/value-checks.ts'
import { type AuthRecord, makeAuthRecord } from '../request/request.ts'
import { sendAuthAlertMail, sendLinkMail, sendOtpMail } from './auth-mails.ts'
import type { MailServices } from './send-mail.ts'

const TEMPLATES: Readonly<
  Record<
    string,
    (services: MailServices, auth: AuthRecord, browser: Language | undefined) => Promise<void>
  >
> = {
  verification: (services, auth, browser) => sendLinkMail(services, auth, 'verification', browser),
  'password-reset': (services, auth, browser) =>
    sendLinkMail(services, auth, 'passwordReset', browser),
  'email-change': (services, auth, browser) =>
    sendLinkMail(services, auth, 'emailChange', browser, {
      newEmail: String(auth.values.email),
    }),
  otp: (services, auth, browser) =>
    sendOtpMail(services, auth, ['_PB_TEST_OTP_ID_', '123456'], browser),
  'login-alert': (services, auth, browser) =>
    sendAuthAlertMail(services, auth, 'TEST_IP TEST_USER_AGENT', browser),
}

export const TEST_MAIL_FORM = makeObjectShape({ email: text, template: text, collection: text })

/** Mails a template, filled in for a made-up record. Throws 400. PocketBase: forms/test_email_send.go */
export async function sendTestMail(
  store: Store,
  services: MailServices,
  browser: Language | undefined,
  readForm: () => Promise<ValueOf<typeof TEST_MAIL_FORM>>,
): Promise<void> {
  const form = await readForm()
  const collection = store.catalog.find(form.collection || SUPERUSERS)
  const isAuth: Check = () =>
    collection?.type === 'auth'
      ? undefined
      : makeFieldError(
          'validation_invalid_auth_collection',
          'Must be a valid auth collection id or name.',
        )
  const checks = {
    collection: [checkLength(1, 255), isAuth],
    email: [checkRequired, checkLength(1, 255), checkEmail],
    template: [checkRequired, checkAllowed(Object.keys(TEMPLATES))],
  }
  checkFields(form, checks, 'Failed to send the test email.')
  try {
    await TEMPLATES[form.template]!(
      services,
      makeSampleRecord(collection as AuthCollection, form.email),
      browser,
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw badRequest(`Failed to send the test email. Raw error: \n${reason}`)
  }
}

function makeSampleRecord(collection: AuthCollection, address: string): AuthRecord {
  const shown = collection.fields.filter((field) => !field.hidden)
  const values = Object.fromEntries(shown.map(({ name }) => [name, `__pb_test_${name}__`]))
  return makeAuthRecord(collection, { ...values, email: address, tokenKey: makeRandomText(50) }, '')
}
