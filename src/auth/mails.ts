import type { MailTemplate } from '../collections/auth-shape.ts'
import { type AuthCollection, type Store, SUPERUSERS } from '../collections/catalog.ts'
import { type Check, checkFields, email, length, oneOf, required } from '../collections/checks.ts'
import { badRequest, fieldError } from '../errors.ts'
import { now } from '../fields/date.ts'
import type { Field, Value } from '../fields/field.ts'
import { object, text, type ValueOf } from '../fields/shape.ts'
import { type AuthRecord, authRecord } from '../request/request.ts'
import { SETTINGS, type Settings } from '../settings/settings.ts'
import { memoize } from '../tools/lru.ts'
import { randomText } from '../tools/random.ts'
import type { AuthServices } from './auth-services.ts'
import { signToken } from './tokens.ts'

const CONNECT_MS = 30_000

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly html: string
  /** The Message-ID in angle brackets. A mail that is sent again keeps it. */
  readonly messageId?: string
}

export type MailServices = Pick<AuthServices, 'settings' | 'log' | 'config'>

export const messageIdOf = ({ settings: { current } }: MailServices, key: string) =>
  `<${key}@${current.meta.senderAddress.split('@').at(-1)}>`

/** Sends a mail by the SMTP server of the settings; without one, logs it. Throws if the server refuses it. */
export async function sendMail(
  { settings: { current }, log }: Pick<MailServices, 'settings' | 'log'>,
  mail: Mail,
): Promise<void> {
  const text = plainText(mail.html)
  if (!current.smtp.enabled) {
    log.info({ to: mail.to, subject: mail.subject, text }, 'mail not sent: no SMTP server is configured')
    return
  }
  const { senderName, senderAddress } = current.meta
  const transport = await transportOf(current)
  await transport.sendMail({ ...mail, text, from: { name: senderName, address: senderAddress } })
}

/** The SMTP transport for these settings. Loads nodemailer at the first mail: most servers send none. */
const transportOf = memoize(async ({ smtp }: Settings) => {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls,
    name: smtp.localName || 'localhost',
    connectionTimeout: CONNECT_MS,
    ...((smtp.username || smtp.password) && {
      auth: { user: smtp.username, pass: smtp.password },
      authMethod: smtp.authMethod || 'PLAIN',
    }),
  })
})

function plainText(html: string) {
  return html
    .replace(/<style[\s\S]*?<\/style>/gi, '')
    .replace(/<a\b[^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2: $1')
    .replace(/<br\s*\/?>|<\/p>/gi, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:amp|lt|gt|#34|#39);/g, (found) => UNESCAPED.get(found)!)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** The default of the setting `appURL`. While the setting has this value, mails use PUBLIC_URL instead. */
const FRESH_URL = SETTINGS.fresh().meta.appURL

/** Field types whose values cannot contain HTML. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['autodate', 'date', 'bool', 'number'])

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}
const UNESCAPED = new Map(Object.entries(ESCAPES).map(([character, escaped]) => [escaped, character]))

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

export const layout = (body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { margin: 0; padding: 20px 30px; background: #fff; color: #16161a; font: 14px/1.45 system-ui, sans-serif }
p { margin: 10px 0 }
a { color: inherit }
.btn { display: inline-block; min-width: 150px; padding: 0 20px; border-radius: 6px; background: #16161a;
  color: #fff !important; font-weight: bold; line-height: 40px; text-align: center; text-decoration: none }
</style>
</head>
<body>
${body}
</body>
</html>
`

export const linkTo = (url: string, words: string, style = ''): string =>
  `<a${style && ` class="${style}"`} href="${escapeHtml(url)}" target="_blank" rel="noopener">${escapeHtml(words)}</a>`

const MAX_NAME = 60

/** A user's name for a mail's subject: one line, bounded length. */
export function nameInMail(name: string, unnamed: string): string {
  const letters = [...(name.replace(/[\s\p{Cc}]+/gu, ' ').trim() || unnamed)]
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : letters.join('')
}

export interface MailSender {
  readonly appName: string
  readonly appUrl: string
}

export function namesOf({ settings, config }: Pick<MailServices, 'settings' | 'config'>): MailSender {
  const { appName, appURL } = settings.current.meta
  return { appName, appUrl: appURL === FRESH_URL ? config.publicUrl : appURL }
}

function fieldText(field: Field, value: Value) {
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
  const { appName, appUrl } = namesOf(services)
  const values = new Map(Object.entries({ APP_NAME: appName, APP_URL: appUrl, ...more }))
  for (const field of auth.collection.fields) {
    if (!field.hidden) values.set(`RECORD:${field.name}`, fieldText(field, auth.values[field.name] ?? ''))
  }
  const fill = (text: string) =>
    text.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.get(name) ?? whole)
  await sendMail(services, { to, subject: fill(template.subject), html: layout(fill(template.body)) })
}

const optionsOf = (auth: AuthRecord) => auth.collection as AuthCollection

const LINK_TEMPLATES = {
  verification: 'verificationTemplate',
  passwordReset: 'resetPasswordTemplate',
  emailChange: 'confirmEmailChangeTemplate',
} as const
export type MailedLink = keyof typeof LINK_TEMPLATES

/** Mails a link to the record's address, or to `newEmail`. Throws if the mail cannot be sent. */
export async function mailLink(
  services: MailServices,
  auth: AuthRecord,
  link: MailedLink,
  newEmail?: string,
): Promise<void> {
  const token = await signToken(auth, link, newEmail === undefined ? {} : { newEmail })
  await sendTemplate(services, auth, optionsOf(auth)[LINK_TEMPLATES[link]], { TOKEN: token }, newEmail)
}

export const mailOtp = (services: MailServices, auth: AuthRecord, otpId: string, password: string) =>
  sendTemplate(services, auth, optionsOf(auth).otp.emailTemplate, { OTP_ID: otpId, OTP: password })

/** Mails a notice of a sign-in from a new location; `info` names time and place. */
export const mailAuthAlert = (services: MailServices, auth: AuthRecord, info: string) =>
  sendTemplate(services, auth, optionsOf(auth).authAlert.emailTemplate, { ALERT_INFO: escapeHtml(info) })

const TEMPLATES: Readonly<Record<string, (services: MailServices, auth: AuthRecord) => Promise<void>>> = {
  verification: (services, auth) => mailLink(services, auth, 'verification'),
  'password-reset': (services, auth) => mailLink(services, auth, 'passwordReset'),
  'email-change': (services, auth) => mailLink(services, auth, 'emailChange', String(auth.values.email)),
  otp: (services, auth) => mailOtp(services, auth, '_PB_TEST_OTP_ID_', '123456'),
  'login-alert': (services, auth) => mailAuthAlert(services, auth, `${now()} - TEST_IP TEST_USER_AGENT`),
}

export const TEST_MAIL_FORM = object({ email: text, template: text, collection: text })

/** Mails a template, filled in for a made-up record. Throws 400. PocketBase: forms/test_email_send.go */
export async function sendTestMail(
  store: Store,
  services: MailServices,
  readForm: () => Promise<ValueOf<typeof TEST_MAIL_FORM>>,
): Promise<void> {
  const form = await readForm()
  const collection = store.catalog.find(form.collection || SUPERUSERS)
  const isAuth: Check = () =>
    collection?.type === 'auth'
      ? undefined
      : fieldError('validation_invalid_auth_collection', 'Must be a valid auth collection id or name.')
  const checks = {
    collection: [length(1, 255), isAuth],
    email: [required, length(1, 255), email],
    template: [required, oneOf(Object.keys(TEMPLATES))],
  }
  checkFields(form, checks, 'Failed to send the test email.')
  try {
    await TEMPLATES[form.template]!(services, nobody(collection as AuthCollection, form.email))
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw badRequest(`Failed to send the test email. Raw error: \n${reason}`)
  }
}

function nobody(collection: AuthCollection, address: string): AuthRecord {
  const shown = collection.fields.filter((field) => !field.hidden)
  const values = Object.fromEntries(shown.map(({ name }) => [name, `__pb_test_${name}__`]))
  return authRecord(collection, { ...values, email: address, tokenKey: randomText(50) }, '')
}
