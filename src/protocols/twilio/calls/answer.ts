import type { IncomingHttpHeaders } from 'node:http'
import { readTwiml, type Twiml, TwimlError } from './twiml.ts'

/** Bytes of an answer. */
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
