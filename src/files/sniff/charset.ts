import { isUtf8 } from 'node:buffer'
import { MarkupReader } from './markup.ts'
import { markedCharset } from './text-test.ts'

/** How much of a text is looked at for its encoding. */
const CHARSET_BYTES = 1024

const ASCII = /^[\x07-\x0d\x1b\x20-\x7e\x85]*$/
const LATIN = /^[\x07-\x0d\x1b\x20-\x7e\x85\xa0-\xff]*$/

/**
 * The encoding of a text, by its first bytes, or else by all of them; '' if they say nothing.
 * PocketBase: mimetype's internal/charset
 */
function ofPlain(text: string): string {
  const marked = markedCharset(text)
  if (text === '' || marked) return marked
  // a character that the head cuts is left out
  const whole = text.replace(/[\xc0-\xff][\x80-\xbf]{0,2}$/, '')
  if (/[\x80-\xff]/.test(whole) && isUtf8(Buffer.from(whole, 'latin1'))) return 'utf-8'
  if (ASCII.test(text)) return 'utf-8'
  if (!LATIN.test(text)) return ''
  return /[\x80-\x9f]/.test(text) ? 'windows-1252' : 'iso-8859-1'
}

/** What the XML declaration says. */
function declared(text: string): string {
  const at = text.indexOf('<?xml')
  if (at < 0) return ''
  const reader = new MarkupReader(text, at + 5)
  for (;;) {
    const { name, value, more } = reader.attribute()
    if (name.startsWith('encoding') && value !== '') return value
    if (!more) return declared(reader.rest)
  }
}

/** What a `meta` tag says, before the body begins. */
function meta(text: string): string {
  const reader = new MarkupReader(text)
  while (text.length - reader.at > '<meta'.length) {
    if (reader.skipComment()) continue
    const tag = text.slice(reader.at, reader.at + 5).toLowerCase()
    if (tag === '<body') return ''
    if (tag !== '<meta') {
      reader.at++
      continue
    }
    reader.at += 5
    if (!/[\t\n\f\r /]/.test(reader.pop() ?? '')) return ''
    const found = metaCharset(reader)
    if (found !== undefined) return found
  }
  return ''
}

/** The encoding that this tag names; undefined if it names none. */
function metaCharset(reader: MarkupReader): string | undefined {
  const seen = new Set<string>()
  let charset = ''
  let isPragma = false
  let needs: boolean | undefined
  for (let more = true; more; ) {
    const attribute = reader.attribute()
    more = attribute.more
    const name = attribute.name.toLowerCase()
    if (seen.has(name)) continue
    seen.add(name)
    if (name === 'http-equiv') isPragma ||= /^content-type/i.test(attribute.value)
    else if (name === 'content') {
      charset =
        /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:(["'])(.*?)(?:\1|$)|([^;\t\n\f\r ]*))/s
          .exec(attribute.value)
          ?.slice(2)
          .find(Boolean)
          ?.trim() ?? ''
      if (charset) needs = true
    } else if (name === 'charset') {
      charset = attribute.value
      needs = false
    }
  }
  return needs === undefined || (needs && !isPragma) ? undefined : charset
}

const CHARSETS: Readonly<Record<string, (text: string) => string>> = {
  'text/plain': ofPlain,
  'text/html': (text) => markedCharset(text) || meta(text) || ofPlain(text),
  'text/xml': (text) => declared(text) || ofPlain(text),
}

/** A type with the encoding of its text, where one is told. */
export function withCharset(type: string, head: string): string {
  const charset = CHARSETS[type]?.(head.slice(0, CHARSET_BYTES)) ?? ''
  return charset ? `${type}; charset=${charset}` : type
}
