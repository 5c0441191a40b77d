import { looksDialable } from '#portable/phone/read-phone.ts'
import { t } from '../../language/words.ts'
import type { Sheet } from './sheet.ts'
import { type Coding, decodeText, decodeVcardValue } from './vcard-text.ts'

/** A line of a vCard: its name, its parameters and its undecoded value. */
interface Line extends Coding {
  readonly name: string
  /** The types in lower case, from `TYPE=CELL` or the bare `CELL` of version 2.1. */
  readonly types: ReadonlySet<string>
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
  const end = () => void (depth === 1 && rows.push([findName(card), findNumber(card)]))
  for (const line of readLines(text)) {
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
  return { head: [t('Name'), t('Number')], rows, lines: rows.map((_, at) => at + 1) }
}

/**
 * Joins folded lines. Version 2.1 folds at a space, which is kept. Later versions fold anywhere and add a
 * space or a tab, which is removed; before a code of quoted-printable, in Base64 and within a letter all
 * blanks are. A quoted-printable line that ends with `=` continues on the next line, unless that is a
 * property: old phones write a `=` too many.
 */
function* readLines(text: string): Generator<Line> {
  let whole = ''
  let charset = ''
  let isOld = false
  // the last line of a property that is not read, if it continues
  let skipped = ''
  for (const part of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    const encoding = readEncoding(whole)
    const isSoft = encoding === 'quoted-printable' && hasSoftBreak(whole)
    if (skipped !== '' && !isPropertyBehind(skipped, part)) skipped = hasSoftBreak(part) ? part : ''
    else if (isSoft && !isWantedProperty(part)) whole = cutLine(joinSoftly(whole, part))
    else if (/^[ \t]/.test(part)) {
      if (whole !== '') whole = cutLine(whole + unfold(whole, part, { encoding, charset }, isOld))
    } else {
      const line = readLine(whole)
      if (line?.name === 'VERSION') isOld = line.value.trim() === '2.1'
      if (line) yield line
      whole = isWantedProperty(part) ? part : ''
      charset = readCharset(part)
      const isLong = whole === '' && readEncoding(part) === 'quoted-printable' && hasSoftBreak(part)
      skipped = isLong ? part : ''
    }
  }
  const last = readLine(whole)
  if (last) yield last
}

/** Whether a quoted-printable line continues on the next. Programs on its way may have added blanks. */
const hasSoftBreak = (line: string): boolean => line.trimEnd().endsWith('=')

/** The end of a quoted-printable line within a code, or within a letter of UTF-8 that takes several codes. */
const WITHIN_CODE = /=[\dA-F]?$/i
const WITHIN_LETTER =
  /(?:=[CD][\dA-F]|=E[\dA-F](?:=[89AB][\dA-F])?|=F[0-7](?:=[89AB][\dA-F]){0,2})$/i
/** The first and another code of a letter of UTF-8, without the `=` of this code. */
const FIRST_CODE = /^[C-F][\dA-F]=[89AB][\dA-F]/i
const OTHER_CODE = /^[89AB][\dA-F]/i

/** Joins a quoted-printable line with the line behind its `=`, which some programs fold as well. */
function joinSoftly(whole: string, part: string): string {
  const line = whole.trimEnd().slice(0, -1)
  const text = part.trimStart()
  if (text.startsWith('=') || WITHIN_CODE.test(line.slice(-2))) return line + text
  const isCode =
    FIRST_CODE.test(text) || (WITHIN_LETTER.test(line.slice(-9)) && OTHER_CODE.test(text))
  return isCode && text !== part ? `${line}=${text}` : line + part
}

/** The text that a folded line adds to the one before it. */
function unfold(whole: string, part: string, coding: Coding, isOld: boolean): string {
  const text = part.trimStart()
  const isWhole = coding.encoding === '' && !whole.endsWith(':') && !isCut(whole, text, coding)
  return isWhole ? (isOld ? ` ${text}` : part.slice(1)) : text
}

/** Whether a fold is in a letter: before an accent or another sign that changes it, or between its bytes. */
const isCut = (before: string, after: string, coding: Coding): boolean =>
  /^[\p{M}\p{Emoji_Modifier}\u200d]/u.test(after) ||
  before.endsWith('\u200d') ||
  (coding.charset !== '' && decodeVcardValue(before.slice(-FOLD_BYTES), coding).endsWith('\ufffd'))

/** As many bytes of a line as programs write before they fold it. */
const FOLD_BYTES = 75

/** Maximum length of a joined line. Without a limit, joining 300,000 lines would take minutes. */
const MAX_LINE = 4_000
/** Shortens a long line. Keeps its last character: a final `=` means that the next line continues it. */
const cutLine = (line: string) =>
  line.length <= MAX_LINE ? line : line.slice(0, MAX_LINE - 1) + line.slice(-1)

/** A line of a vCard, for example `item1.TEL;TYPE="cell,voice":…`: its name, parameters and value. */
const LINE = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^";:])*)*):(.*)$/s

const isWantedProperty = (part: string) =>
  WANTED.has(/^(?:[\w-]+\.)?([\w-]+)[;:]/.exec(part)?.[1]?.toUpperCase() ?? '')

/** Behind a line break in a note, a line without parameters may be text that looks like a property. */
const isPropertyBehind = (skipped: string, part: string) =>
  isWantedProperty(part) &&
  (!/=0A=$/i.test(skipped) || /^(?:[\w-]+\.)?[\w-]+;|^END:VCARD/i.test(part))

function readLine(whole: string): Line | undefined {
  const [, name, parameters, value] = LINE.exec(whole) ?? []
  if (name === undefined || parameters === undefined || value === undefined) return undefined
  const types = new Set(readTypes(parameters))
  const charset = readCharset(whole)
  return { name: name.toUpperCase(), types, encoding: readEncoding(whole), charset, value }
}

const readCharset = (whole: string): string =>
  /;CHARSET="?([\w-]+)/i.exec(whole.split(':', 1)[0]!)?.[1] ?? ''

function readTypes(parameters: string): string[] {
  return [...parameters.matchAll(/;((?:"[^"]*"|[^";])*)/g)].flatMap(([, parameter = '']) => {
    const [, key = 'TYPE', values = ''] = /^(?:([\w-]+)=)?(.*)$/s.exec(parameter) ?? []
    if (key.toUpperCase() === 'PREF') return ['pref']
    return key.toUpperCase() === 'TYPE' ? values.replaceAll('"', '').toLowerCase().split(',') : []
  })
}

/** How the value of a line is encoded: `;ENCODING=b`, `;QUOTED-PRINTABLE`. */
function readEncoding(whole: string): Line['encoding'] {
  const [head = ''] = whole.split(':', 1)
  if (/;(?:ENCODING=)?"?QUOTED-PRINTABLE"?(?:;|$)/i.test(head)) return 'quoted-printable'
  return /;(?:ENCODING="?B(?:ASE64)?|BASE64)"?(?:;|$)/i.test(head) ? 'base64' : ''
}

/** The name of a card: the formatted name, or given and family name, or the company. */
function findName(card: readonly Line[]): string {
  const parts = (name: string) => {
    const line = card.find((one) => one.name === name && one.value.trim() !== '')
    // in Base64, the separators are encoded, too
    const value = line?.encoding === 'base64' ? decodeVcardValue(line.value, line) : line?.value
    const plain =
      line && (line.encoding === 'base64' ? { encoding: '' as const, charset: '' } : line)
    return plain && value ? value.split(/(?<!\\);/).map((part) => decodeText(part, plain)) : []
  }
  const formatted = card.find(({ name, value }) => name === 'FN' && value.trim() !== '')
  const [family = '', given = '', more = ''] = parts('N')
  const full = formatted ? decodeText(formatted.value, formatted) : ''
  return (
    full || [given, more, family].filter((part) => part !== '').join(' ') || (parts('ORG')[0] ?? '')
  )
}

/** Invisible marks of the writing direction, which phones put around numbers. */
const MARKS = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g
const DASHES = /[\u2010-\u2015]/g

/** The card's number that most likely receives texts, as it is written; '' if there is none. */
function findNumber(card: readonly Line[]): string {
  const numbers = card
    .filter(({ name }) => name === 'TEL')
    .map((line) => ({ types: line.types, number: trimPhone(decodeText(line.value, line)) }))
    .filter(({ number }) => number !== '')
    .map(({ types, number }) => ({ number, rank: rankNumber(types, number) }))
  return numbers.toSorted((a, b) => a.rank - b.rank)[0]?.number ?? ''
}

/** Converts `tel:+1-555-0100;ext=5` to `+1-555-0100`. Drops extensions and digits dialed after a pause. */
const trimPhone = (text: string) =>
  text.replace(MARKS, '').replace(DASHES, '-').replace(/^tel:/i, '').split(/[;,]/, 1)[0]!.trim()

/** Ranks numbers from 0, the best: mobile numbers first; faxes, pagers and invalid numbers last. */
function rankNumber(types: ReadonlySet<string>, number: string): number {
  const isMobile = types.has('cell') || types.has('mobile') || types.has('iphone')
  const isOther = types.has('fax') || types.has('pager') || !looksDialable(number)
  return (isOther ? 4 : 0) + (isMobile ? 0 : 2) + (types.has('pref') ? 0 : 1)
}
