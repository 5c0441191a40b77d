import { readQuery } from './query.ts'

/** The secret end of the address to which a phone posts. */
const SECRET_END = /(?<=\/incoming\/).*/

/** The path as logs have it: without its query, which may have tokens in it, and without a secret end. */
export const loggedPath = (url: string): string => url.replace(/\?.*/s, '').replace(SECRET_END, '…')

const MAX_LENGTH = 1_000
/** A phone number has no place in a path, but nobody keeps a client from writing one there. */
const NUMBER = /(?:\+|%2B)?\d{7,}(?![a-z\d])/gi
/** Parameters that say how to answer, by names of fields and numbers. */
const PLAIN = new Set(['page', 'perPage', 'skipTotal', 'sort', 'expand', 'fields', 'thumb', 'download'])
/** What such a value looks like. Long numbers are somebody's. */
const PLAIN_VALUE = /^(?!.*\d{5})[\w.,:@()*+-]*$/
const PLAIN_NAME = /^(?!.*\d{5})[\w.@:-]{1,50}$/

/**
 * The address as it is kept to be looked up: the path, and of the query what tells the question from others, never what it is
 * about. Of a filter names and operators stay, all that they are compared with becomes `…`; so do values of unknown parameters.
 */
export function loggedUrl(url: string): string {
  const path = loggedPath(url).replace(NUMBER, '…')
  const pairs = Object.entries(readQuery(url)).map(([name, value]) => {
    if (name === 'filter') return `filter=${withoutValues(value)}`
    const shown = PLAIN.has(name) && PLAIN_VALUE.test(value) ? value : '…'
    return `${PLAIN_NAME.test(name) ? name : '…'}=${shown}`
  })
  const whole = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
  return whole.length > MAX_LENGTH ? `${whole.slice(0, MAX_LENGTH)}...` : whole
}

/** Texts, even open ones; words; signs; blanks; anything else. */
const TOKEN =
  /"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$)|[\w.@:#-]+|[=!<>~?&|(),]+|\s+|[^\w.@:#\-=!<>~?&|(),\s"']+/gs
const WORD = /^[\w.@:#-]+$/
/** Words that say the same of anybody. */
const CONSTANT = /^(?:@[a-z][\w.:]*|true|false|null|-?\d{1,3}|""|'')$/i
const LONG_NUMBER = /\d{5}/
/** What follows a name: it is compared, or it is a function. */
const SIGN = /^[=!<>~?(]/

/** A filter, valid or not, as `to = … && created > @todayStart`: only what is compared keeps its name. */
export function withoutValues(filter: string): string {
  const tokens = filter.match(TOKEN) ?? []
  return tokens
    .map((token, i) => shown(token, tokens[/^\s/.test(tokens[i + 1] ?? '') ? i + 2 : i + 1]))
    .join('')
}

function shown(token: string, next = ''): string {
  if (/^[\s=!<>~?&|(),]/.test(token)) return token
  if (CONSTANT.test(token) && !LONG_NUMBER.test(token)) return token
  return WORD.test(token) && SIGN.test(next) && !LONG_NUMBER.test(token) ? token : '…'
}
