import type { IncomingHttpHeaders } from 'node:http'
import { type SaxesAttributePlain, SaxesParser } from 'saxes'

interface Twiml {
  readonly messages: readonly TwimlMessage[]
  /** The next document; undefined for none. What follows a `<Redirect>` is never reached. */
  readonly redirect: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined
}

/** A `<Message>`. Attributes are '' when they are absent. */
export type TwimlMessage = Readonly<Record<'body' | 'to' | 'from' | 'callback', string>>

/** An invalid answer, with Twilio's error code. */
export class TwimlError extends Error {
  override name = 'TwimlError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const NO_XML = 12100
const WRONG_VERB = 14110
const MESSAGE_VERBS = new Set(['Message', 'Sms'])

type Attributes = Readonly<Record<string, SaxesAttributePlain | string>>
const of = (attributes: Attributes, name: string) =>
  Object.hasOwn(attributes, name) ? String(attributes[name]).trim() : ''

interface OpenVerb {
  readonly name: string
  readonly attributes: Attributes
  text: string
  /** The text of its `<Body>` elements; undefined without one. */
  body: string | undefined
}

/** Reads a TwiML document without DTD. Throws TwimlError 12100 for no XML, 14110 for a wrong verb. */
function readTwiml(text: string): Twiml {
  const messages: TwimlMessage[] = []
  let redirect: Twiml['redirect']
  let verb: OpenVerb | undefined
  let depth = 0
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('error', ({ message }) => {
    throw new TwimlError(NO_XML, `The answer is no XML: ${message}`)
  })
  parser.on('doctype', () => {
    throw new TwimlError(NO_XML, 'The answer has a document type')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth++
    if (depth === 1 && name !== 'Response') throw new TwimlError(NO_XML, 'The answer has no <Response>')
    if (depth === 2) {
      if (!MESSAGE_VERBS.has(name) && name !== 'Redirect')
        throw new TwimlError(WRONG_VERB, `<${name.slice(0, 40)}> is not for texts`)
      verb = { name, attributes, text: '', body: undefined }
    }
    if (depth > 2) {
      const isBody = depth === 3 && name === 'Body' && MESSAGE_VERBS.has(verb!.name)
      if (!isBody) throw new TwimlError(WRONG_VERB, `<${name.slice(0, 40)}> is not supported in a verb`)
      verb!.body ??= ''
    }
  })
  const add = (part: string) => {
    if (depth === 2) verb!.text += part
    if (depth === 3) verb!.body += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    if (depth-- !== 2 || redirect) return
    if (verb!.name === 'Redirect') redirect = redirectOf(verb!)
    else messages.push(messageOf(verb!))
  })
  parser.write(text.trimStart().replace(/^\ufeff/, '')).close()
  return { messages, redirect }
}

function redirectOf({ attributes, text }: OpenVerb): Twiml['redirect'] {
  const method = of(attributes, 'method').toUpperCase() === 'GET' ? 'GET' : 'POST'
  return { url: text.trim(), method }
}

const messageOf = ({ attributes, text, body }: OpenVerb): TwimlMessage => ({
  body: (body ?? text).trim(),
  to: of(attributes, 'to'),
  from: of(attributes, 'from'),
  callback: of(attributes, 'statusCallback') || of(attributes, 'action'),
})

export const MAX_ANSWER_BYTES = 64 << 10

const XML = new Set(['text/xml', 'application/xml', 'text/html'])
const NOTHING: Twiml = { messages: [], redirect: undefined }

/** An answer's TwiML; a plain text is one reply. Throws TwimlError 12300, 11200 and as `readTwiml`. */
export function readAnswer(headers: IncomingHttpHeaders, body: Buffer): Twiml {
  if (body.length > MAX_ANSWER_BYTES)
    throw new TwimlError(11200, `The answer has more than ${MAX_ANSWER_BYTES} bytes`)
  const text = body.toString('utf8').replace(/^\ufeff/, '')
  if (text.trim() === '') return NOTHING
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (XML.has(type)) return readTwiml(text)
  if (type === 'text/plain')
    return { messages: [{ body: text.trim(), to: '', from: '', callback: '' }], redirect: undefined }
  throw new TwimlError(12300, 'The answer is neither XML nor plain text')
}
