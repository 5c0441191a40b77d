import type { MailTemplate } from '../../collections/auth-shape.ts'
import type { AuthCollection } from '../../collections/catalog.ts'
import type { Field, Value } from '../../fields/field.ts'
import type { AuthRecord } from '../../request/request.ts'
import { SETTINGS } from '../../settings/settings.ts'
import type { AuthServices } from '../auth-services.ts'
import { signToken } from '../tokens/tokens.ts'
import { sendMail } from './mailer.ts'

/** The default of the setting `appURL`, instead of which PUBLIC_URL is used. */
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

export function namesOf({ settings, config }: Pick<AuthServices, 'settings' | 'config'>): MailSender {
  const { appName, appURL } = settings.current.meta
  return { appName, appUrl: appURL === FRESH_URL ? config.publicUrl : appURL }
}

function placeholders(services: AuthServices, auth: AuthRecord, more: Readonly<Record<string, string>>) {
  const { appName, appUrl } = namesOf(services)
  const values = new Map(Object.entries({ APP_NAME: appName, APP_URL: appUrl, ...more }))
  for (const field of auth.collection.fields) {
    if (!field.hidden) values.set(`RECORD:${field.name}`, fieldText(field, auth.values[field.name] ?? ''))
  }
  return values
}

function fieldText(field: Field, value: Value): string {
  if (Array.isArray(value)) return ''
  return PLAIN_TYPES.has(field.type) ? String(value) : escapeHtml(String(value))
}

/** Fills in a template and sends it. PocketBase: mails/record.go */
async function sendTemplate(
  services: AuthServices,
  auth: AuthRecord,
  template: MailTemplate,
  more: Readonly<Record<string, string>>,
  to = String(auth.values.email),
): Promise<void> {
  const values = placeholders(services, auth, more)
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
  services: AuthServices,
  auth: AuthRecord,
  link: MailedLink,
  newEmail?: string,
): Promise<void> {
  const token = await signToken(auth, link, newEmail === undefined ? {} : { newEmail })
  await sendTemplate(services, auth, optionsOf(auth)[LINK_TEMPLATES[link]], { TOKEN: token }, newEmail)
}

/** Mails a one-time password. Throws when the mail cannot be sent. */
export async function mailOtp(services: AuthServices, auth: AuthRecord, otpId: string, password: string) {
  await sendTemplate(services, auth, optionsOf(auth).otp.emailTemplate, { OTP_ID: otpId, OTP: password })
}

/** Mails a notice of a sign-in from a new location; `info` names time and place. */
export async function mailAuthAlert(services: AuthServices, auth: AuthRecord, info: string): Promise<void> {
  await sendTemplate(services, auth, optionsOf(auth).authAlert.emailTemplate, {
    ALERT_INFO: escapeHtml(info),
  })
}
