import { looksDialable } from '#portable/phone/read.ts'
import { t } from '../../language/words.ts'
import type { Sheet } from './sheet.ts'

/** A line of a vCard: its name, its parameters and its undecoded value. */
interface Line {
  readonly name: string
  /** The types in lower case, from `TYPE=CELL` or the bare `CELL` of version 2.1. */
  readonly types: ReadonlySet<string>
  /** The charset of a quoted-printable value; '' if the value is not quoted-printable. */
  readonly quotedIn: string
  readonly value: string
}

/** Only these properties are read. Others, such as pictures, are skipped. */
const WANTED = new Set(['AGENT', 'BEGIN', 'END', 'VERSION', 'FN', 'N', 'ORG', 'TEL'])

export const isVcard = (text: string): boolean => /^\ufeff?\s*BEGIN:VCARD/i.test(text)

/**
 * Reads vCards of the versions 2.1 (versit, with quoted-printable), 3.0 (RFC 2426) and 4.0 (RFC 6350).
 * Returns a row of name and number for each card. Prefers mobile numbers, then numbers marked as preferred.
 */
export function readCards(text: string): Sheet {
  const rows: string[][] = []
  let card: Line[] = []
  // depth of nested cards: a card within a card (AGENT) is skipped
  let depth = 0
  let isAgent = false
  const end = () => void (depth === 1 && rows.push([nameOf(card), numberOf(card)]))
  for (const line of linesOf(text)) {
    if (line.name === 'BEGIN' && isAgent) depth++
    else if (line.name === 'BEGIN') {
      end() // a new card ends a previous one that has no END
      depth = 1
      card = []
    } else if (line.name === 'END') {
      end()
      depth = Math.max(0, depth - 1)
    } else if (depth === 1) card.push(line)
    isAgent = line.name === 'AGENT'
  }
  return { head: [t('Name'), t('Number')], rows, first: 1 }
}

/**
 * Joins folded lines. Version 2.1 folds at a space, which is kept. Later versions fold anywhere and add a
 * space, which is removed. A quoted-printable line that ends with `=` continues on the next line.
 */
function* linesOf(text: string): Generator<Line> {
  let whole = ''
  let isOld = false
  for (const part of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    const isSoft = whole.endsWith('=') && quotedIn(whole) !== ''
    if (isSoft) whole = cut(whole.slice(0, -1) + part)
    else if (/^[ \t]/.test(part)) {
      if (whole !== '') whole = cut(whole + (isOld ? ` ${part.trimStart()}` : part.slice(1)))
    } else {
      const line = readLine(whole)
      if (line?.name === 'VERSION') isOld = line.value.trim() === '2.1'
      if (line) yield line
      whole = isWanted(part) ? part : ''
    }
  }
  const last = readLine(whole)
  if (last) yield last
}

/** Maximum length of a joined line. Without a limit, joining 300,000 lines would take minutes. */
const MAX_LINE = 4_000
/** Shortens a long line. Keeps its last character: a final `=` means that the next line continues it. */
const cut = (line: string) => (line.length <= MAX_LINE ? line : line.slice(0, MAX_LINE - 1) + line.slice(-1))

/** A line of a vCard, for example `item1.TEL;TYPE="cell,voice":…`: its name, parameters and value. */
const LINE = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^";:])*)*):(.*)$/s

const isWanted = (part: string) => WANTED.has(/^(?:[\w-]+\.)?([\w-]+)/.exec(part)?.[1]?.toUpperCase() ?? '')

function readLine(whole: string): Line | undefined {
  const [, name, parameters, value] = LINE.exec(whole) ?? []
  if (name === undefined || parameters === undefined || value === undefined) return undefined
  const types = new Set(typesOf(parameters))
  return { name: name.toUpperCase(), types, quotedIn: quotedIn(whole), value }
}

function typesOf(parameters: string): string[] {
  return [...parameters.matchAll(/;((?:"[^"]*"|[^";])*)/g)].flatMap(([, parameter = '']) => {
    const [, key = 'TYPE', values = ''] = /^(?:([\w-]+)=)?(.*)$/s.exec(parameter) ?? []
    if (key.toUpperCase() === 'PREF') return ['pref']
    return key.toUpperCase() === 'TYPE' ? values.replaceAll('"', '').toLowerCase().split(',') : []
  })
}

function quotedIn(whole: string): string {
  const [head] = whole.split(':', 1)
  if (!/;(?:ENCODING=)?QUOTED-PRINTABLE(?:;|$)/i.test(head ?? '')) return ''
  return /;CHARSET="?([\w-]+)/i.exec(head ?? '')?.[1] ?? 'utf-8'
}

/** The name of a card: the formatted name, or given and family name, or the company. */
function nameOf(card: readonly Line[]): string {
  const parts = (name: string) => {
    const line = card.find((one) => one.name === name && one.value.trim() !== '')
    return line ? line.value.split(/(?<!\\);/).map((part) => textOf(part, line.quotedIn)) : []
  }
  const formatted = card.find(({ name, value }) => name === 'FN' && value.trim() !== '')
  const [family = '', given = '', more = ''] = parts('N')
  const full = formatted ? textOf(formatted.value, formatted.quotedIn) : ''
  return full || [given, more, family].filter((part) => part !== '').join(' ') || (parts('ORG')[0] ?? '')
}

/** Decodes a value: resolves its escapes, and replaces line breaks with spaces. */
const textOf = (value: string, charset: string): string =>
  (charset ? unquoted(value, charset) : value)
    .replace(/\\([\\,;:nN])/g, (_, char: string) => (/n/i.test(char) ? ' ' : char))
    .replace(/\s+/g, ' ')
    .trim()

/** Decodes quoted-printable, such as `=C3=A9`. An unknown charset counts as UTF-8. */
function unquoted(value: string, charset: string): string {
  const plain = new TextEncoder().encode(value.replace(/=$/, ''))
  const bytes: number[] = []
  for (let at = 0; at < plain.length; at++) {
    const code = plain[at] === 0x3d ? String.fromCharCode(plain[at + 1] ?? 0, plain[at + 2] ?? 0) : ''
    const isCode = /^[\da-f]{2}$/i.test(code)
    bytes.push(isCode ? Number.parseInt(code, 16) : plain[at]!)
    if (isCode) at += 2
  }
  return decoderOf(charset).decode(new Uint8Array(bytes))
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Invisible marks of the writing direction, which phones put around numbers. */
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g
const DASHES = /[\u2010-\u2015]/g

/** The card's number that most likely receives texts, as it is written; '' if there is none. */
function numberOf(card: readonly Line[]): string {
  const numbers = card
    .filter(({ name }) => name === 'TEL')
    .map(({ types, value, quotedIn }) => ({ types, number: dialed(textOf(value, quotedIn)) }))
    .filter(({ number }) => number !== '')
    .map(({ types, number }) => ({ number, rank: rankOf(types, number) }))
  return numbers.toSorted((a, b) => a.rank - b.rank)[0]?.number ?? ''
}

/** Converts `tel:+1-555-0100;ext=5` to `+1-555-0100`. Drops extensions and digits dialed after a pause. */
const dialed = (text: string) =>
  text.replace(MARKS, '').replace(DASHES, '-').replace(/^tel:/i, '').split(/[;,]/, 1)[0]!.trim()

/** Ranks numbers from 0, the best: mobile numbers first; faxes, pagers and invalid numbers last. */
function rankOf(types: ReadonlySet<string>, number: string): number {
  const isMobile = types.has('cell') || types.has('mobile') || types.has('iphone')
  const isOther = types.has('fax') || types.has('pager') || !looksDialable(number)
  return (isOther ? 4 : 0) + (isMobile ? 0 : 2) + (types.has('pref') ? 0 : 1)
}
