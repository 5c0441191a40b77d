import { makeTemplateRenderer } from '../../../../platform/templates/render.ts'
import { isObject } from '../../../../platform/tools/json.ts'
import { countSegments } from '../../../../portable/segments.ts'
import type { OutgoingText } from '../../driver-interface.ts'
import type { Carrier } from './carrier-account.ts'
import type { Preset } from './preset.ts'

/** Maximum characters of a filled request. */
const MAX_LENGTH = 1 << 20
const FORM = /^application\/x-www-form-urlencoded\b/i
/** A request with templates. */
type Template = Omit<Preset['send'], 'method'> & { readonly method: string }

const WHOLE = /^\{\{(\w+)\}\}$/

/** Names an attempt in the carrier's calls. */
export const makeAttemptRef = ({ id, attempt }: Pick<OutgoingText, 'id' | 'attempt'>) =>
  `${id}.${attempt}`

/** A sample text: its request shows a carrier's templates. */
export const SAMPLE = { id: 'sample', attempt: 1, to: '+4915112345678', body: 'Hello €', sim: 1 }

/** The request's templates for a text, or for an MMS of a carrier that sends these. */
function chooseTemplate({ interface: { send, mms } }: Carrier, { attachments }: OutgoingText) {
  if (!attachments || !mms) return send
  return { ...send, path: mms.path ?? send.path, body: mms.body }
}

/** Fills the templates of a carrier's preset for a text. Throws an ApiError for a wrong template. */
export function fillRequest(
  carrier: Carrier,
  text: OutgoingText,
  template: Template = chooseTemplate(carrier, text),
) {
  const { user, secret, senders, callback, values } = carrier
  const { method, path, headers, body, numbers } = template
  const from = senders[Math.max(text.sim, 1) - 1] ?? ''
  const ref = makeAttemptRef(text)
  const files = (text.attachments ?? []).map(({ url }) => url)
  const known: Readonly<Record<string, unknown>> = {
    ...values,
    to: text.to,
    to_digits: stripPlus(text.to),
    from,
    from_digits: stripPlus(from),
    body: text.body,
    subject: text.subject ?? '',
    file: files[0] ?? '',
    ref,
    callback: callback && addRef(callback, ref),
    user,
    secret,
    basic: Buffer.from(`${user}:${secret}`).toString('base64'),
    unicode: countSegments(text.body).encoding === 'UCS-2',
  }
  const render = makeTemplateRenderer(known, { maxLength: MAX_LENGTH })
  // a renderer trims: a tag alone keeps the spaces of a text
  const fill = (template: string) => {
    const [, name = ''] = WHOLE.exec(template) ?? []
    return typeof known[name] === 'string' ? (known[name] as string) : render(template).text
  }
  const filled = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    toOneLine(fill(value)),
  ])
  const sent: Record<string, string> = Object.fromEntries(filled)
  const content =
    body &&
    convertNumbers((fillValues(body, fill, files) ?? {}) as Record<string, unknown>, numbers)
  const isForm = FORM.test(sent['content-type'] ?? '')
  const payload = content && (isForm ? encodeForm(content) : JSON.stringify(content))
  return {
    url: carrier.address + render(path, encodeURIComponent).text,
    method,
    headers: {
      ...sent,
      ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }),
    },
    body: payload,
  }
}

const stripPlus = (number: string) => (number.startsWith('+') ? number.slice(1) : number)

const addRef = (callback: string, ref: string) =>
  `${callback}${callback.includes('?') ? '&' : '?'}ref=${ref}`

const toOneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/[^\x20-\x7e]/g, '?')

const FILES = '{{files}}'

/** Fills the texts in a body. Leaves out fields whose text is empty, and objects without fields. */
function fillValues(
  value: unknown,
  fill: (template: string) => string,
  files: readonly string[],
): unknown {
  if (value === FILES) return files.length > 0 ? files : undefined
  if (typeof value === 'string') return fill(value) || undefined
  if (Array.isArray(value))
    return value.map((item) => fillValues(item, fill, files)).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(
    ([name, item]) => [name, fillValues(item, fill, files)] as const,
  )
  const left = fields.filter(([, item]) => item !== undefined)
  return left.length > 0 ? Object.fromEntries(left) : undefined
}

const convertNumbers = (fields: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      names.includes(name) ? Number(value) : value,
    ]),
  )

/** A form; a list becomes a field for each of its items. */
const encodeForm = (content: unknown) =>
  new URLSearchParams(
    Object.entries(content as object).flatMap(([name, value]) =>
      [value].flat().map((item): [string, string] => [name, String(item)]),
    ),
  ).toString()
