import type { AuthCollection } from '../collections/collection.ts'
import type { MailTemplate } from '../collections/mail-texts.ts'
import type { Field, Value } from '../fields/field.ts'
import type { AuthRecord } from '../request/request.ts'
import { SETTINGS_SHAPE } from '../settings/settings-shape.ts'
import { escapeHtml, renderMailLayout } from './mail-html.ts'
import { type MailServices, sendMail } from './send-mail.ts'
import { signToken } from './tokens.ts'

/** The default of the setting `appURL`. While the setting has this value, mails use PUBLIC_URL instead. */
const FRESH_URL = SETTINGS_SHAPE.fresh().meta.appURL

/** Field types whose values cannot contain HTML. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['autodate', 'date', 'bool', 'number'])

export interface MailSender {
  readonly appName: string
  readonly appUrl: string
}

export function readMailSender({
  settings,
  config,
}: Pick<MailServices, 'settings' | 'config'>): MailSender {
  const { appName, appURL } = settings.current.meta
  return { appName, appUrl: appURL === FRESH_URL ? config.publicUrl : appURL }
}

function renderFieldText(field: Field, value: Value) {
  if (Array.isArray(value)) return ''
  return PLAIN_TYPES.has(field.type) ? String(value) : escapeHtml(String(value))
}

/** Fills in a mail template and sends it. PocketBase: mails/record.go */
async function sendTemplate(
  services: MailServices,
  auth: AuthRecord,
  template: MailTemplate,
  more: Readonly<Record<string, string>>,
  to = String(auth.values.email),
) {
  const { appName, appUrl } = readMailSender(services)
  const values = new Map(Object.entries({ APP_NAME: appName, APP_URL: appUrl, ...more }))
  for (const field of auth.collection.fields) {
    if (!field.hidden)
      values.set(`RECORD:${field.name}`, renderFieldText(field, auth.values[field.name] ?? ''))
  }
  const fill = (text: string) =>
    text.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.get(name) ?? whole)
  await sendMail(services, {
    to,
    subject: fill(template.subject),
    html: renderMailLayout(fill(template.body)),
  })
}

const toAuthCollection = (auth: AuthRecord) => auth.collection as AuthCollection

const LINK_TEMPLATES = {
  verification: 'verificationTemplate',
  passwordReset: 'resetPasswordTemplate',
  emailChange: 'confirmEmailChangeTemplate',
} as const
export type MailedLink = keyof typeof LINK_TEMPLATES

/** Mails a link to the record's address, or to `newEmail`. Throws if the mail cannot be sent. */
export async function sendLinkMail(
  services: MailServices,
  auth: AuthRecord,
  link: MailedLink,
  newEmail?: string,
): Promise<void> {
  const token = await signToken(auth, link, newEmail === undefined ? {} : { newEmail })
  await sendTemplate(
    services,
    auth,
    toAuthCollection(auth)[LINK_TEMPLATES[link]],
    { TOKEN: token },
    newEmail,
  )
}

export const sendOtpMail = (
  services: MailServices,
  auth: AuthRecord,
  otpId: string,
  password: string,
) =>
  sendTemplate(services, auth, toAuthCollection(auth).otp.emailTemplate, {
    OTP_ID: otpId,
    OTP: password,
  })

/** Mails a notice of a sign-in from a new location; `info` names time and place. */
export const sendAuthAlertMail = (services: MailServices, auth: AuthRecord, info: string) =>
  sendTemplate(services, auth, toAuthCollection(auth).authAlert.emailTemplate, {
    ALERT_INFO: escapeHtml(info),
  })
