import { badRequest } from '../../platform/api-errors.ts'
import { makeTemplateRenderer } from '../../platform/templates/render.ts'
import { isObject } from '../../platform/tools/json.ts'
import { cutText, type TextRules } from '../../portable/service-texts.ts'
import { findWebhookPreset } from '../../portable/webhook-presets.ts'
import { parseWebhookMail, type WebhookMail } from './fill-webhook-mail.ts'
import { TemplateFault, type TemplateFields } from './template-fields.ts'

/** Maximum characters of a filled request. */
const MAX_LENGTH = 64 << 10
/** Maximum rendering steps: 1,000 for the body, 1,000 for URL and headers. All together take some 4 ms. */
const MAX_STEPS = 1_000
const MAX_TAGS = 100
interface FilledRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly mail?: WebhookMail
}

/** Headers that a webhook may not set: the server sets them, or they decide where the request ends. */
const OWN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*|webhook-.*)$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/
const FORM = /^application\/x-www-form-urlencoded\b/i

/** The body (JSON) that a webhook without templates sends, and its webhook-id. */
export interface WebhookEvent {
  readonly id: string
  readonly body: string
}

/** Fills the templates of a webhook. Throws TemplateFault. */
export function fillTemplates(
  fields: TemplateFields,
  event: WebhookEvent,
  everyBranch = false,
): FilledRequest {
  const preset = findWebhookPreset(fields.preset)
  const { target, token } = fields
  const own = JSON.parse(fields.headers || 'null') ?? {}
  if (!isObject(own)) throw new TemplateFault('headers', 'Must be an object of texts.')
  const headers = { ...preset.headers, ...checkHeaders(own) }
  // the JSON is parsed and written again, because a brace may be stored as \u007b
  const body = withFieldErrors('body', () =>
    JSON.stringify(JSON.parse(fields.body || 'null') ?? preset.body),
  )
  const texts = [fields.url, JSON.stringify(headers), body ?? '']
  if (texts.join().split('{{').length - 1 > MAX_TAGS)
    throw new TemplateFault('body', 'Must have at most 100 tags.')

  const told = JSON.parse(event.body)
  const received = told.data.message_type === 'incoming'
  const known = { files: [], ...told, id: event.id, received, ...(target && { target }) }
  const limits = { maxLength: MAX_LENGTH, maxSteps: MAX_STEPS, everyBranch }
  const fillBody = makeTemplateRenderer(known, limits)
  const fillSecret = makeTemplateRenderer({ ...known, ...(token && { token }) }, limits)
  const inUrl = (value: string) => (value === token ? encodeURI(value) : encodeURIComponent(value))

  const url = withFieldErrors('url', () => {
    const filled = fillSecret(addPath(fields.url, preset.path), inUrl).text
    if (extractServer(filled) !== extractServer(fields.url))
      throw badRequest('Only the path and the query may have placeholders.')
    if (/\/\.{1,2}(?=[/?#]|$)/.test(filled))
      throw badRequest('The address must have no part that is . or ..')
    return filled
  })
  const sent = withFieldErrors('headers', () =>
    Object.entries(headers)
      .map(([name, value]): [string, string] => [name, toHeaderValue(fillSecret(value).text)])
      .filter(([, value]) => value !== ''),
  )
  const type = sent.find(([name]) => name === 'content-type')?.[1] ?? ''
  const method = fields.method || (preset.method ?? 'POST')
  const [filled, text] = withFieldErrors('body', () => {
    if (body === undefined) return [undefined, method === 'GET' ? '' : event.body]
    const encode = FORM.test(type) && body.startsWith('"') ? encodeURIComponent : undefined
    const fillText = (value: string, rule: ReturnType<TextRules>) => {
      const text = value.includes('{{')
        ? fillBody(value, encode ?? (rule ? rule.escape : undefined)).text
        : value
      return rule ? cutText(text, rule) : text
    }
    const filled: unknown = JSON.parse(body, function (this: Record<string, unknown>, key, value) {
      return typeof value === 'string' ? fillText(value, preset.texts?.(key, this)) : value
    })
    return [filled, writeBodyText(filled, type)]
  })
  const mail = fields.url.startsWith('mailto:') ? parseWebhookMail(url, filled) : undefined
  return {
    url,
    method,
    headers: Object.fromEntries(
      type || typeof filled !== 'string'
        ? sent
        : [['content-type', 'text/plain; charset=utf-8'], ...sent],
    ),
    body: text,
    ...(mail && { mail }),
  }
}

/** Encodes a body by its content type: as a form, as unchanged text, or as JSON. */
function writeBodyText(body: unknown, type: string) {
  if (typeof body === 'string' && !/\bjson\b/i.test(type)) return body
  return FORM.test(type)
    ? new URLSearchParams(body as Record<string, string>).toString()
    : JSON.stringify(body)
}

/** A URL's origin, user name and password. */
function extractServer(url: string) {
  const { origin, username, password } = URL.parse(url) ?? {}
  return `${origin} ${username} ${password}`
}

/** A URL without a path gets the path of the preset. */
const addPath = (url: string, path = '') =>
  path && /^https?:\/\/[^/?#]+\/?$/.test(url) ? url.replace(/\/$/, '') + path : url

function checkHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    const key = name.toLowerCase()
    if (!HEADER_NAME.test(key) || OWN_HEADERS.test(key) || typeof value !== 'string')
      throw new TemplateFault('headers', `${name.slice(0, 100)} cannot be set.`)
    return [key, value]
  })
  return Object.fromEntries(entries)
}

/** A header's value in one line. Characters that are not ASCII become `?`. */
const toHeaderValue = (text: string) => text.replace(/\s+/g, ' ').replace(/[^\x20-\x7e]/g, '?')

/** Turns each error into a TemplateFault: any other error would also stop deliveries of other webhooks. */
function withFieldErrors<T>(field: keyof TemplateFields, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new TemplateFault(field, (error as Error).message.replace('The body', 'The event'))
  }
}
