import { isUtf8 } from 'node:buffer'
import { badRequest } from '../../platform/api-errors.ts'
import { decodeText } from '../../platform/tools/charsets.ts'

/** A part of a mail as postal-mime reads it. */
export interface MimePart {
  readonly childNodes: readonly MimePart[]
  readonly contentType: {
    readonly parsed: { value: string; readonly params: { charset?: string } }
  }
  readonly contentDisposition: { readonly parsed: { readonly value: string } }
  readonly content: ArrayBuffer | null
  readonly rawHeaderLines: readonly { readonly key: string; readonly line: string }[]
}

/**
 * Throws 400 if the subject or a text of a mail has an unknown charset, or bytes that are malformed in its
 * charset: postal-mime would read them in another one, or put U+FFFD in their place. RFC 2045, 2047
 */
export function checkCharsets(root: MimePart, bytes: Buffer): void {
  const subject = root.rawHeaderLines.find(({ key }) => key === 'subject')?.line ?? ''
  if (subject.includes('\ufffd') && !isUtf8(bytes))
    throw badRequest('The subject is not valid in utf-8.')
  checkWords(subject)
  for (const part of listMailParts(root)) {
    const { value, params } = part.contentType.parsed
    const isShown = part.contentDisposition.parsed.value !== 'attachment'
    if (part.content && isShown && /^text\/(?:plain|html)$/i.test(value))
      decodeText(new Uint8Array(part.content), params.charset)
  }
}

const listMailParts = (part: MimePart): readonly MimePart[] =>
  part.childNodes.length > 0 ? part.childNodes.flatMap(listMailParts) : [part]

const WORD = /=\?([^?*\s]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi

/** Checks encoded words. Programs may cut a character at the border of two words in one charset. */
function checkWords(header: string): void {
  const texts: { charset: string; bytes: Buffer; end: number }[] = []
  for (const { 0: word, 1: name = '', 2: encoding = '', 3: text = '', index } of header.matchAll(
    WORD,
  )) {
    const charset = name.toLowerCase()
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : decodeQ(text)
    const before = texts.at(-1)
    const end = index + word.length
    const isNext = before?.charset === charset && header.slice(before.end, index).trim() === ''
    if (before && isNext)
      Object.assign(before, { bytes: Buffer.concat([before.bytes, bytes]), end })
    else texts.push({ charset, bytes, end })
  }
  for (const { charset, bytes } of texts) decodeText(bytes, charset)
}

const decodeQ = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
