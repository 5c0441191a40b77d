import { UserError } from '../../../../platform/api-errors.ts'
import { makeTemplateRenderer } from '../../../../platform/templates/render.ts'
import { isObject } from '../../../../platform/tools/json.ts'
import { countSegments } from '../../../../portable/segments.ts'
import type { OutgoingFile, OutgoingText } from '../../driver-interface.ts'
import { type Carrier, isSenderService } from './carrier-account.ts'
import { chooseMmsForm } from './mms-form.ts'
import type { Preset } from './preset.ts'

/** Maximum characters of a filled request. */
const MAX_LENGTH = 1 << 20
const FORM = /^application\/x-www-form-urlencoded\b/i
type Template = Omit<Preset['send'], 'method'> & {
  readonly method: string
  /** The template of each file of an MMS. */
  readonly item?: unknown
}
type Fill = (template: string) => string

const WHOLE = /^\{\{(\w+)\}\}$/

export const makeAttemptRef = ({ id, attempt }: Pick<OutgoingText, 'id' | 'attempt'>) =>
  `${id}.${attempt}`

/** A sample text: its request shows a carrier's templates. */
export const SAMPLE = { id: 'sample', attempt: 1, to: '+4915112345678', body: 'Hello €', sim: 1 }

/** The request's templates for a text, or for an MMS. Throws if the carrier cannot send its files. */
function chooseTemplate(carrier: Carrier, { attachments }: OutgoingText): Template {
  const { send } = carrier.interface
  if (!attachments) return send
  const form = chooseMmsForm(carrier, attachments)
  if (typeof form === 'string') throw new UserError(form)
  const { path = send.path, body, item } = form
  return { ...send, path, body, item }
}

/** Fills the templates of a carrier's preset for a text. Throws an ApiError for a wrong template. */
export function fillRequest(
  carrier: Carrier,
  text: OutgoingText,
  template: Template = chooseTemplate(carrier, text),
) {
  const { user, secret, senders, callback, values } = carrier
  const { method, path, headers, body, numbers, item } = template
  const { subject = '', attachments = [] } = text
  const sender = senders[Math.max(text.sim, 1) - 1] ?? ''
  const isService = isSenderService(sender)
  const from = isService ? '' : sender
  const ref = makeAttemptRef(text)
  const known: Readonly<Record<string, unknown>> = {
    ...values,
    to: text.to,
    to_digits: stripPlus(text.to),
    from,
    from_digits: stripPlus(from),
    service: isService ? sender : '',
    body: text.body,
    subject,
    words: [subject, text.body].filter(Boolean).join('\n'),
    ...describeFile(attachments[0]),
    ref,
    callback: callback && addRef(callback, ref),
    user,
    secret,
    basic: Buffer.from(`${user}:${secret}`).toString('base64'),
    unicode: countSegments(text.body).encoding === 'UCS-2',
  }
  const render = makeTemplateRenderer(known, { maxLength: MAX_LENGTH })
  const fill = makeFill(known, render)
  const files = attachments.map((file) => {
    const all = { ...known, ...describeFile(file) }
    return fillValues(item, makeFill(all, makeTemplateRenderer(all, { maxLength: MAX_LENGTH })), [])
  })
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

const describeFile = (file?: OutgoingFile) => ({ file: file?.url ?? '', type: file?.type ?? '' })

/** A renderer trims: a tag alone keeps the spaces of a text. */
const makeFill =
  (
    known: Readonly<Record<string, unknown>>,
    render: ReturnType<typeof makeTemplateRenderer>,
  ): Fill =>
  (template) => {
    const value = known[WHOLE.exec(template)?.[1] ?? '']
    return typeof value === 'string' ? value : render(template).text
  }

const stripPlus = (number: string) => (number.startsWith('+') ? number.slice(1) : number)

const addRef = (callback: string, ref: string) =>
  `${callback}${callback.includes('?') ? '&' : '?'}ref=${ref}`

const toOneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/[^\x20-\x7e]/g, '?')

const FILES = '{{files}}'

/** Fills the texts in a body. Leaves out fields whose text is empty, and objects without fields. */
function fillValues(value: unknown, fill: Fill, files: readonly unknown[]): unknown {
  if (value === FILES) return files
  if (typeof value === 'string') return fill(value) || undefined
  if (Array.isArray(value))
    return value
      .flatMap((item) => (item === FILES ? files : [fillValues(item, fill, files)]))
      .filter((item) => item !== undefined)
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
