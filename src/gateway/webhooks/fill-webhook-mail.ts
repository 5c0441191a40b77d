import { isEmail } from '../../engine/fields/email.ts'
import { isObject } from '../../platform/tools/json.ts'
import { cutText } from '../../portable/service-texts.ts'
import { TemplateFault } from './template-fields.ts'

const MAX_ADDRESSES = 5
const MAX_SUBJECT = 200

export interface WebhookMail {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

/** Throws a TemplateFault unless the URL is `mailto:` with 1 to 5 addresses without placeholders. */
export function checkMailAddress(url: string) {
  const to = splitMailtoUrl(url)
  if (to.length === 0 || to.length > MAX_ADDRESSES || !to.every(isPlainEmail))
    throw new TemplateFault('url', `Must be mailto: and at most ${MAX_ADDRESSES} mail addresses.`)
}

const splitMailtoUrl = (url: string) => url.slice('mailto:'.length).split(',')
const isPlainEmail = (text: string) => /^[^\s"(){},:;<>?%]+$/.test(text) && isEmail(text)

export function parseWebhookMail(url: string, body: unknown): WebhookMail {
  const { subject, text } = isObject(body) ? body : {}
  if (typeof subject !== 'string' || typeof text !== 'string')
    throw new TemplateFault('body', 'A mail needs an object with the texts subject and text.')
  return {
    to: splitMailtoUrl(url),
    subject: cutText(subject.replace(/\s+/g, ' '), { max: MAX_SUBJECT }),
    text,
  }
}
