import { type SaxesAttributePlain, SaxesParser, type SaxesTagPlain } from 'saxes'

/** What an answer in TwiML asks for. */
export interface Twiml {
  readonly messages: readonly TwimlMessage[]
  /** The next document; undefined for none. What follows a `<Redirect>` is never reached. */
  readonly redirect: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined
}

/** A `<Message>`. Attributes are '' when they are absent. */
export interface TwimlMessage {
  readonly body: string
  readonly to: string
  readonly from: string
  readonly callback: string
}

/** An answer that cannot be carried out, with Twilio's number of the error. */
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

/** Reads a TwiML document, without DTD. Throws TwimlError 12100 for no XML, 14110 for a wrong verb. */
export function readTwiml(text: string): Twiml {
  const reader = new TwimlReader()
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('error', ({ message }) => {
    throw new TwimlError(NO_XML, `The answer is no XML: ${message}`)
  })
  parser.on('doctype', () => {
    throw new TwimlError(NO_XML, 'The answer has a document type')
  })
  parser.on('opentag', (tag) => reader.open(tag))
  parser.on('closetag', () => reader.close())
  parser.on('text', (part) => reader.text(part))
  parser.on('cdata', (part) => reader.text(part))
  parser.write(text.trimStart().replace(/^\ufeff/, '')).close()
  return reader.done()
}

type Attributes = Readonly<Record<string, SaxesAttributePlain | string>>
const of = (attributes: Attributes, name: string) =>
  Object.hasOwn(attributes, name) ? String(attributes[name]).trim() : ''

/** The verb that is being read. */
interface OpenVerb {
  readonly name: string
  readonly attributes: Attributes
  text: string
  /** The text of its `<Body>` elements; undefined without one. */
  body: string | undefined
}

/** Collects the verbs of a document: those in its `<Response>`, each with the `<Body>` elements in it. */
class TwimlReader {
  readonly #messages: TwimlMessage[] = []
  #redirect: Twiml['redirect']
  #depth = 0
  #verb: OpenVerb | undefined

  open({ name, attributes }: SaxesTagPlain): void {
    this.#depth++
    if (this.#depth === 1 && name !== 'Response') throw new TwimlError(NO_XML, 'The answer has no <Response>')
    if (this.#depth === 2) {
      if (!MESSAGE_VERBS.has(name) && name !== 'Redirect')
        throw new TwimlError(WRONG_VERB, `<${name.slice(0, 40)}> is not for texts`)
      this.#verb = { name, attributes, text: '', body: undefined }
    }
    if (this.#depth > 2) {
      const isBody = this.#depth === 3 && name === 'Body' && MESSAGE_VERBS.has(this.#verb!.name)
      if (!isBody) throw new TwimlError(WRONG_VERB, `<${name.slice(0, 40)}> is not supported in a verb`)
      this.#verb!.body ??= ''
    }
  }

  text(part: string): void {
    if (this.#depth === 2) this.#verb!.text += part
    if (this.#depth === 3) this.#verb!.body += part
  }

  close(): void {
    if (this.#depth === 2 && this.#verb && !this.#redirect) this.#take(this.#verb)
    this.#depth--
  }

  done(): Twiml {
    return { messages: this.#messages, redirect: this.#redirect }
  }

  #take({ name, attributes, text, body }: OpenVerb): void {
    if (name === 'Redirect') {
      const method = of(attributes, 'method').toUpperCase() === 'GET' ? 'GET' : 'POST'
      this.#redirect = { url: text.trim(), method }
      return
    }
    this.#messages.push({
      body: (body ?? text).trim(),
      to: of(attributes, 'to'),
      from: of(attributes, 'from'),
      callback: of(attributes, 'statusCallback') || of(attributes, 'action'),
    })
  }
}
