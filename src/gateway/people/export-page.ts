import { escapeHtml } from '../../engine/auth/mail-html.ts'
import {
  makeSay,
  makeTimeFormat,
  type SaySentence,
  type TimeReader,
} from '../../platform/words/say.ts'
import type { Language } from '../../portable/languages.ts'
import type { Place } from '../base/personal-data.ts'
import de from './words/de.json' with { type: 'json' }
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import fr from './words/fr.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }

const WORDS = { en, de, es, fr, pt }
type PageWord = keyof typeof en

/** The language of the account's owner, and the account's time zone and country. */
export type PageLook = Required<TimeReader>

/** Words of a page in its language. */
export interface PageWords {
  readonly language: Language
  readonly say: SaySentence<PageWord>
  readonly formatTime: (instant: string) => string
}

export const makePageWords = (look: PageLook): PageWords => ({
  language: look.language,
  say: makeSay<PageWord>(WORDS, look.language),
  formatTime: makeTimeFormat(look),
})

const STYLE = `
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; background: #fff; color: #16161a; font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.25 }
h2 { margin: 2.5rem 0 0; font-size: 1.2rem; break-after: avoid }
dl { margin: 0; padding: 0.75rem 0; border-bottom: 1px solid #ddd; break-inside: avoid }
dl div { display: grid; grid-template-columns: minmax(8.5rem, 1fr) minmax(0, 3fr); gap: 0 1rem }
dt { color: #5a5a62 }
dd { margin: 0; white-space: pre-wrap }
@media print { body { max-width: none; margin: 0; padding: 0; font-size: 11pt } }`

/** Values in the head of a page. `of`: the person or the account; `json`: the other file. */
export interface PageHead {
  readonly of: string
  readonly account: string
  readonly at: string
  readonly json: string
}

/** The beginning of the page that a person can read. */
export function renderPageHead(
  { language, say, formatTime }: PageWords,
  { of, account, at, json }: PageHead,
): string {
  const title = escapeHtml(say('title', { name: of }))
  const link = `<a href="${json}">${json}</a>`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHtml(say('stored', { account, time: formatTime(at) }))}</p>
<p>${escapeHtml(say('json')).replace('{file}', () => link)}</p>
`
}

export const PAGE_END = '</body>\n</html>\n'

export const renderPlaceHead = (words: PageWords, { title }: Place): string =>
  `<h2>${escapeHtml(findWord(words, `place.${title}`) ?? title)}</h2>\n`

/** Says how many rows of a place only the JSON has. */
export const renderMoreRows = ({ say }: PageWords, count: number): string =>
  `<p>${escapeHtml(say('more', { count }))}</p>\n`

export type ExportedRow = Readonly<Record<string, unknown>>

/** The words of a place, a column or a value; undefined for those of an installation. */
const findWord = ({ say }: PageWords, word: string): string | undefined =>
  Object.hasOwn(en, word) ? say(word as PageWord) : undefined

/**
 * A row of a place: the values that are not empty. `copies`: the names of copied files, which become links
 * to the copies beside the page. `names`: of other records, by id.
 */
export function renderRow(
  words: PageWords,
  { onPage }: Place,
  row: ExportedRow,
  { copies, names }: { copies: readonly string[]; names: ReadonlyMap<string, string> },
): string {
  const lines = onPage.flatMap((column) => {
    const text = isNamed(column)
      ? joinList(listTexts(row[column]).flatMap((text) => nameRecord(text, names)))
      : formatValue(words, column, row[column])
    if (text === '') return []
    const label = findWord(words, `column.${column}`) ?? column.replaceAll('_', ' ')
    const value = copies.includes(text) ? renderLink(text) : escapeHtml(text)
    return `<div><dt>${escapeHtml(label)}</dt><dd>${value}</dd></div>\n`
  })
  return lines.length === 0 ? '' : `<dl>\n${lines.join('')}</dl>\n`
}

const renderLink = (file: string) =>
  `<a href="${encodeURI(file).replaceAll('"', '%22')}">${escapeHtml(file)}</a>`

/** Columns with ids of other records, which the page shows by name. */
const NAMED: ReadonlySet<string> = new Set([
  'answer',
  'asked_by',
  'assignee',
  'author',
  'changed_by',
  'device',
  'entered_by',
  'group',
  'groups',
  'hook',
  'invited_by',
  'label',
  'labels',
  'last_sender',
  'line',
  'lines',
  'member',
  'mentions',
  'sender',
  'sent_by',
])

const ID = /^[a-z0-9]{15}$/

export const isNamed = (column: string): boolean => NAMED.has(column)

const listTexts = (value: unknown): string[] =>
  [value].flat().filter((text): text is string => typeof text === 'string' && text !== '')

/** The ids of other records that the page shows by name. */
export const listNamedIds = ({ onPage }: Place, rows: readonly ExportedRow[]): string[] => {
  const columns = onPage.filter(isNamed)
  const texts = rows.flatMap((row) => columns.flatMap((column) => listTexts(row[column])))
  return [...new Set(texts)].filter((text) => ID.test(text))
}

/** An id without a name is of a deleted record. What is no id stays, such as the label of a line. */
const nameRecord = (text: string, names: ReadonlyMap<string, string>): string | readonly string[] =>
  names.get(text) ?? (ID.test(text) ? [] : text)

/** Columns whose texts people wrote: they stay as they are. */
const WRITTEN: ReadonlySet<string> = new Set(['body', 'name', 'said', 'shown', 'subject', 'text'])
const INSTANT = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:\d\d)?)$/
/** A longer text is none that the server chose. */
const MAX_VALUE = 100
/** Columns with the server's reasons, or the words of a device. */
const REASONS: ReadonlySet<string> = new Set(['detail', 'error_message'])

/** The text of a value; '' if it is empty. */
function formatValue(words: PageWords, column: string, value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  if (value === true) return words.say('yes')
  if (Array.isArray(value)) return joinList(value.map((one) => formatValue(words, column, one)))
  if (typeof value === 'object') return listMembers(value)
  const text = String(value)
  if (WRITTEN.has(column) || text.length > MAX_VALUE) return text
  const word = `${REASONS.has(column) ? 'reason' : column}.${text}`
  return findWord(words, word) ?? (INSTANT.test(text) ? words.formatTime(text) : text)
}

/** A list in one line, or each item in its own if they are long. */
const MAX_LINE = 80
function joinList(items: readonly string[]): string {
  const line = items.join(', ')
  return line.length > MAX_LINE ? items.join('\n') : line
}

/** The members of a JSON object that are not empty, a line each. */
const listMembers = (value: object): string =>
  Object.entries(value)
    .map(([name, member]) => [name, formatMember(member)])
    .filter(([, text]) => text !== '')
    .map((line) => line.join(': '))
    .join('\n')

function formatMember(member: unknown): string {
  if (member === null) return ''
  if (typeof member !== 'object') return String(member)
  const isFlat = Object.values(member).every((one) => typeof one !== 'object')
  if (!isFlat) return JSON.stringify(member)
  if (Array.isArray(member)) return member.join(', ')
  return Object.entries(member)
    .map((line) => line.join(': '))
    .join(', ')
}
