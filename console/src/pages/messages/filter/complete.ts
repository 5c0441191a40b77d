import { t } from '../../../language/words.ts'
import { type CollectionName, type Found, follow, MACROS, NAMES, type Name, NUMBER_MACROS } from './names.ts'
import { isOperand, type Token, tokensOf } from './tokens.ts'

/** A suggestion for what to write next. */
export interface Suggestion {
  readonly text: string
  readonly words: string
  /** The word continues: adds no space and keeps the list open. */
  readonly goesOn?: boolean
}

/** Suggestions that replace the text of a filter from `start` to `end`. */
export interface Completion {
  readonly start: number
  readonly end: number
  /** The typed part of the word. All suggestions begin with it. */
  readonly prefix: string
  readonly suggestions: readonly Suggestion[]
}

const MOST = 40

const SIGNS = {
  '=': t('is'),
  '!=': t('is not'),
  '~': t('contains'),
  '!~': t('does not contain'),
  '>': t('more than'),
  '>=': t('at least'),
  '<': t('less than'),
  '<=': t('at most'),
  '?=': t('one of them is'),
  '?!=': t('one of them is not'),
  '?~': t('one of them contains'),
} as const
type SignText = keyof typeof SIGNS

const SIGNS_OF: Readonly<Record<Name['type'], readonly SignText[]>> = {
  text: ['~', '=', '!=', '!~'],
  choice: ['=', '!='],
  relation: ['=', '!='],
  bool: ['=', '!='],
  number: ['=', '!=', '>', '>=', '<', '<='],
  date: ['>=', '<', '>', '<=', '=', '!='],
  json: ['~', '=', '!='],
}
const SIGNS_OF_MANY: readonly SignText[] = ['?=', '?~', '?!=']
const OF_DATES: Partial<Record<SignText, string>> = {
  '>=': t('at or after'),
  '>': t('after'),
  '<': t('before'),
  '<=': t('at or before'),
}

/** The suggestions at `cursor` of a filter that may be incomplete. */
export function completionAt(filter: string, cursor: number): Completion {
  const tokens = tokensOf(filter)
  const here = tokens.find((token) => token.start < cursor && cursor <= token.end && isOfWord(token, cursor))
  const start = here?.start ?? cursor
  const prefix = filter.slice(start, cursor)
  const before = tokens.filter(({ end }) => end <= start)
  const found = offers(before, prefix)
  const fitting = found.filter(({ text }) => fits(text, prefix)).slice(0, MOST)
  const suggestions = fitting.length === 1 && fitting[0]?.text === prefix ? [] : fitting
  return { start, end: here?.end ?? cursor, prefix, suggestions }
}

/** Whether the cursor is in the token: a closed text or bracket does not continue behind its end. */
const isOfWord = ({ kind, end, isClosed }: Token, cursor: number) =>
  kind === 'word' || kind === 'sign' || kind === 'join' || (kind === 'text' && (cursor < end || !isClosed))

/** Quotes may be left out while typing. */
function fits(text: string, prefix: string): boolean {
  const [a, b] = [text.toLowerCase(), prefix.toLowerCase()]
  return a.startsWith(b) || a.startsWith(`"${b.replace(/^["']/, '')}`)
}

type Due = 'name' | 'sign' | 'value' | 'join'

/** What follows the tokens before the cursor. */
function offers(before: readonly Token[], prefix: string): readonly Suggestion[] {
  let due: Due = 'name'
  let left: Token | undefined
  let open = 0
  for (const token of before) {
    if (token.kind === 'open') open++
    if (token.kind === 'close') open--
    if (token.kind === 'open' || token.kind === 'join') due = 'name'
    else if (token.kind === 'close') due = 'join'
    else if (token.kind === 'sign') due = 'value'
    else if (isOperand(token)) {
      if (due === 'name') left = token
      due = due === 'value' ? 'join' : 'sign'
    }
  }
  const found = left?.kind === 'word' ? follow(left.text) : undefined
  const of = found && !('wrong' in found) ? found : undefined
  if (due === 'name') return nameOffers(prefix)
  if (due === 'sign') return signOffers(of)
  if (due === 'value') return valueOffers(of)
  return [
    { text: '&&', words: t('and') },
    { text: '||', words: t('or') },
    ...(open > 0 ? [{ text: ')', words: t('close the bracket') }] : []),
  ]
}

/** The fields of the collection that the path typed so far leads to. */
function nameOffers(prefix: string): Suggestion[] {
  const path = prefix.slice(0, prefix.lastIndexOf('.') + 1)
  const collection = collectionAt(path)
  if (!collection) return []
  return Object.entries(NAMES[collection]).map(([name, { words, to }]) => ({
    text: `${path}${name}${to ? '.' : ''}`,
    words,
    ...(to && { goesOn: true }),
  }))
}

function collectionAt(path: string): CollectionName | undefined {
  if (path === '') return 'sms_messages'
  const found = follow(path.slice(0, -1))
  return 'wrong' in found ? undefined : found.name.to
}

function signOffers(of: Found | undefined): Suggestion[] {
  const type = of?.name.type ?? 'text'
  const signs = of?.many ? [...SIGNS_OF_MANY, ...SIGNS_OF[type]] : SIGNS_OF[type]
  return signs.map((text) => ({ text, words: (type === 'date' && OF_DATES[text]) || SIGNS[text] }))
}

function valueOffers(of: Found | undefined): Suggestion[] {
  if (of?.name.values) return of.name.values.map((value) => ({ text: `"${value}"`, words: '' }))
  if (of?.name.type === 'bool')
    return [
      { text: 'true', words: t('yes') },
      { text: 'false', words: t('no') },
    ]
  if (of?.name.type !== 'date')
    return [{ text: '""', words: of?.name.type === 'number' ? '' : t('nothing') }].filter(
      ({ words }) => words,
    )
  const dates = Object.entries(MACROS).filter(([name]) => !NUMBER_MACROS.has(name))
  return [...dates.map(([text, words]) => ({ text, words })), { text: '""', words: t('not set') }]
}

/** The filter with a suggestion taken, and where the cursor is then. */
export function take(
  filter: string,
  { start, end }: Completion,
  suggestion: Suggestion,
): { filter: string; cursor: number } {
  const rest = filter.slice(end)
  const gap = suggestion.goesOn || rest.startsWith(' ') ? '' : ' '
  const cursor = start + suggestion.text.length + (suggestion.goesOn ? 0 : 1)
  return { filter: filter.slice(0, start) + suggestion.text + gap + rest, cursor }
}
