import { formatMailTime } from '../../platform/words/say.ts'
import { isLanguage, type Language } from '../../portable/languages.ts'
import type { AuthCollection } from '../collections/collection.ts'
import {
  type MAIL_TEMPLATES,
  type MailTemplate,
  translateMailTemplate,
} from '../collections/mail-texts.ts'
import type { Field, Value } from '../fields/field.ts'
import { formatNow } from '../fields/parse-date.ts'
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

/** The language that the record has chosen, else that of the browser that asks for the mail. */
export const chooseLanguage = ({ values }: AuthRecord, browser: Language | undefined): Language =>
  isLanguage(values.language) ? values.language : (browser ?? 'en')

interface TemplateMail {
  readonly template: keyof typeof MAIL_TEMPLATES
  readonly stored: MailTemplate
  /** The values of its placeholders, as the mail's language writes them. */
  readonly fill: (language: Language) => Readonly<Record<string, string>>
  readonly browser: Language | undefined
  readonly to?: string | undefined
}

/** Fills in a mail template and sends it. PocketBase: mails/record.go */
async function sendTemplate(services: MailServices, auth: AuthRecord, mail: TemplateMail) {
  const wanted = chooseLanguage(auth, mail.browser)
  const own = translateMailTemplate(mail.template, mail.stored, wanted)
  const language = own ? wanted : 'en'
  const { appName, appUrl } = readMailSender(services)
  const values = new Map(
    Object.entries({ APP_NAME: appName, APP_URL: appUrl, ...mail.fill(language) }),
  )
  for (const field of auth.collection.fields) {
    if (!field.hidden)
      values.set(`RECORD:${field.name}`, renderFieldText(field, auth.values[field.name] ?? ''))
  }
  const fill = (text: string) =>
    text.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.get(name) ?? whole)
  const { subject, body } = own ?? mail.stored
  await sendMail(services, {
    to: mail.to ?? String(auth.values.email),
    subject: fill(subject),
    html: renderMailLayout(fill(body), { language }),
  })
}

const toAuthCollection = (auth: AuthRecord) => auth.collection as AuthCollection

const LINK_TEMPLATES = {
  verification: ['verification', 'verificationTemplate'],
  passwordReset: ['resetPassword', 'resetPasswordTemplate'],
  emailChange: ['confirmEmailChange', 'confirmEmailChangeTemplate'],
} as const
export type MailedLink = keyof typeof LINK_TEMPLATES

/**
 * Mails a link to the record's address, or to `newEmail`. `browser`: the language of the request. `factors`:
 * the record's `readFactorState`. Throws if the mail cannot be sent.
 */
export async function sendLinkMail(
  services: MailServices,
  auth: AuthRecord,
  link: MailedLink,
  browser: Language | undefined,
  more: { readonly newEmail?: string; readonly factors?: string } = {},
): Promise<void> {
  const token = await signToken(auth, link, more)
  const [template, field] = LINK_TEMPLATES[link]
  await sendTemplate(services, auth, {
    template,
    stored: toAuthCollection(auth)[field],
    fill: () => ({ TOKEN: token }),
    browser,
    to: more.newEmail,
  })
}

export const sendOtpMail = (
  services: MailServices,
  auth: AuthRecord,
  [otpId, password]: readonly [otpId: string, password: string],
  browser: Language | undefined,
) =>
  sendTemplate(services, auth, {
    template: 'otp',
    stored: toAuthCollection(auth).otp.emailTemplate,
    fill: () => ({ OTP_ID: otpId, OTP: password }),
    browser,
  })

/** Mails a notice of a sign-in from a new location; `place`: its address and browser. */
export const sendAuthAlertMail = (
  services: MailServices,
  auth: AuthRecord,
  place: string,
  browser?: Language,
) =>
  sendTemplate(services, auth, {
    template: 'authAlert',
    stored: toAuthCollection(auth).authAlert.emailTemplate,
    fill(language) {
      const now = formatNow()
      const time = language === 'en' ? now : formatMailTime({ language }, now)
      return { ALERT_INFO: escapeHtml(`${time} - ${place}`) }
    },
    browser,
  })
