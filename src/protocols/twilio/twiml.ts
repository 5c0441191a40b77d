import type { IncomingHttpHeaders } from 'node:http'
import { SaxesParser } from 'saxes'
import { decodeText, readCharset } from '../../platform/tools/charsets.ts'
import { MAX_TWIML_BYTES } from './make-url-caller.ts'
import { TwilioRefusal } from './twilio-errors.ts'

interface Twiml {
  readonly messages: readonly TwimlMessage[]
  /** The next document; undefined for none. Messages after a `<Redirect>` are not sent. */
  readonly redirect: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined
}

/** A `<Message>`. Attributes are '' when they are absent. `media`: the addresses of its `<Media>`. */
export type TwimlMessage = Readonly<Record<'body' | 'to' | 'from' | 'callback', string>> & {
  readonly media: readonly string[]
}

const NO_XML = 12100
const WRONG_VERB = 14110
const MESSAGE_VERBS = new Set(['Message', 'Sms'])
const NOUNS = new Set(['Body', 'Media'])

interface OpenVerb {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  text: string
  /** The text of its `<Body>` elements; undefined without one. */
  body: string | undefined
  /** The text of each `<Media>` element. */
  readonly media: string[]
}

/** Reads a TwiML document. Throws TwilioRefusal 12100 for invalid XML or a DTD, 14110 for a wrong verb. */
function readTwiml(text: string): Twiml {
  const messages: TwimlMessage[] = []
  let redirect: Twiml['redirect']
  let verb: OpenVerb | undefined
  let depth = 0
  let isMedia = false
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('error', ({ message }) => {
    throw new TwilioRefusal(NO_XML, `The answer is no XML: ${message}`)
  })
  parser.on('doctype', () => {
    throw new TwilioRefusal(NO_XML, 'The answer has a document type')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth++
    if (depth === 1 && name !== 'Response')
      throw new TwilioRefusal(NO_XML, 'The answer has no <Response>')
    if (depth === 2) {
      if (!MESSAGE_VERBS.has(name) && name !== 'Redirect')
        throw new TwilioRefusal(WRONG_VERB, `<${name.slice(0, 40)}> is not for texts`)
      verb = { name, attributes, text: '', body: undefined, media: [] }
    }
    if (depth > 2) {
      const isNoun = depth === 3 && NOUNS.has(name) && MESSAGE_VERBS.has(verb!.name)
      if (!isNoun)
        throw new TwilioRefusal(WRONG_VERB, `<${name.slice(0, 40)}> is not supported in a verb`)
      if (name === 'Media') verb!.media.push('')
      else verb!.body ??= ''
      isMedia = name === 'Media'
    }
  })
  const add = (part: string) => {
    if (depth === 2) verb!.text += part
    if (depth !== 3) return
    if (isMedia) verb!.media.push(verb!.media.pop() + part)
    else verb!.body += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    if (depth-- !== 2 || redirect) return
    const { name, attributes, text, body = text } = verb!
    const given = (attribute: string) =>
      Object.hasOwn(attributes, attribute) ? String(attributes[attribute]).trim() : ''
    if (name === 'Redirect') {
      const method = given('method').toUpperCase() === 'GET' ? 'GET' : 'POST'
      redirect = { url: text.trim(), method }
      return
    }
    const callback = given('statusCallback') || given('action')
    const media = verb!.media.map((url) => url.trim()).filter((url) => url !== '')
    messages.push({ body: body.trim(), to: given('to'), from: given('from'), callback, media })
  })
  parser.write(text.trimStart().replace(/^\ufeff/, '')).close()
  return { messages, redirect }
}

const XML = new Set(['text/xml', 'application/xml', 'text/html'])
const NOTHING: Twiml = { messages: [], redirect: undefined }

/** The charset in an XML declaration; '' for none. XML 1.0, 4.3.3 */
const readXmlCharset = (body: Buffer): string =>
  /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(body.toString('latin1', 0, 200))?.[1] ??
  ''

function decodeTwiml(body: Buffer, charset: string): string {
  try {
    return decodeText(body, charset)
  } catch (error) {
    throw new TwilioRefusal(NO_XML, (error as Error).message)
  }
}

/** Reads TwiML; plain text is one reply. Throws TwilioRefusal 12300 for another type, and as `readTwiml`. */
export function readTwimlAnswer(headers: IncomingHttpHeaders, body: Buffer): Twiml {
  if (body.length > MAX_TWIML_BYTES)
    throw new TwilioRefusal(11200, `The answer has more than ${MAX_TWIML_BYTES} bytes`)
  const declared = headers['content-type'] ?? ''
  const type = declared.split(';')[0]!.trim().toLowerCase()
  const text = decodeTwiml(
    body,
    readCharset(declared) || (XML.has(type) ? readXmlCharset(body) : ''),
  )
  if (text.trim() === '') return NOTHING
  if (XML.has(type)) return readTwiml(text)
  if (type === 'text/plain')
    return {
      messages: [{ body: text.trim(), to: '', from: '', callback: '', media: [] }],
      redirect: undefined,
    }
  throw new TwilioRefusal(12300, 'The answer is neither XML nor plain text')
}
