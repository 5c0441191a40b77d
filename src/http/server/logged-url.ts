import { hasNumber, hideNumbers } from '../../platform/tools/loggable-texts.ts'
import { readQuery } from '../query.ts'

/** A URL that a phone, a tool or a link of a text has, up to the secret at its end. */
const BEFORE_SECRET =
  /^.*?(?:\/incoming\/|\/carriers\/calls\/|\/api\/hooks\/|\/leave\/|^\/f\/|^[a-z][\w+.-]*:\/[^/]*\/f\/|\/f\/(?=[a-z0-9]{15}\d))(?=.)/is
/** A character of ASCII in a URL, escaped once or more. */
const ESCAPED = /%(?:25)*([0-7][\da-f])/gi

/** A path as a lenient server reads it: without escapes, double slashes and backslashes. */
const toPlainPath = (path: string): string =>
  path
    .replace(ESCAPED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[\\/]+(?:\.[\\/]+)*/g, '/')

/** A path without a secret at its end, however it is written. */
function hideSecretEnd(path: string): string {
  const before = BEFORE_SECRET.exec(toPlainPath(path))?.[0]
  return before === undefined ? path : `${before}…`
}

/** Maximum characters of a URL to read. One character in the log may be three escapes, nine characters. */
const MAX_READ = 9_000

const MAX_LENGTH = 1_000

/** The path for logs, without the query, which may contain tokens, and without a secret at its end. */
export const toLoggedPath = (url: string): string =>
  hidePathSecrets(url.slice(0, MAX_READ)).slice(0, MAX_LENGTH)

/**
 * The rest of a path after `;`, `&`, `=` or `#`, or an escape of these or of `?`: a client may have put
 * parameters there, and chat programs escape the `#` of links to the console, which a secret follows.
 */
const PARAMETERS = /(?<=[;&=#]|%(?:25){0,9}(?:3[bdf]|2[36])).*/is

/** API keys, also without `_`, as Twilio's API gets them, and JSON Web Tokens. */
const KEYS = /(?:psk|vk)_?\w{20,}|eyJ[\w.-]{20,}/g

const hidePathSecrets = (url: string) =>
  hideSecretEnd(url.replace(/\?.*/s, '')).replace(PARAMETERS, '…').replace(KEYS, '…')

/** Parameters whose values are field names or numbers, not data. */
const PLAIN = new Set([
  'page',
  'perPage',
  'skipTotal',
  'sort',
  'sortLanguage',
  'expand',
  'fields',
  'thumb',
  'download',
])

/** Parameter values and names that may be logged, unless they have a number. */
const PLAIN_VALUE = /^[\w.,:@()*+-]*$/

const PLAIN_NAME = /^[\w.@:-]{1,50}$/

const isPlainWord = (text: string, plain: RegExp) => plain.test(text) && !hasNumber(text)

/** The URL for the log. Values that may be private become `…`; a filter keeps its names and operators. */
export function toLoggedUrl(url: string): string {
  const read = url.slice(0, MAX_READ)
  const path = hideNumbers(hidePathSecrets(read))
  const pairs = Object.entries(readQuery(read)).map(([name, value]) => {
    if (name === 'filter') return `filter=${hideValues(value)}`
    const shown = PLAIN.has(name) && isPlainWord(value, PLAIN_VALUE) ? value : '…'
    return `${isPlainWord(name, PLAIN_NAME) ? name : '…'}=${shown}`
  })
  const whole = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
  return whole.length > MAX_LENGTH ? `${whole.slice(0, MAX_LENGTH)}...` : whole
}

const TOKEN =
  /"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$)|[\w.@:#-]+|[=!<>~?&|(),]+|\s+|[^\w.@:#\-=!<>~?&|(),\s"']+/gs

const WORD = /^[\w.@:#-]+$/

const CONSTANT = /^(?:@[a-z][\w.:]*|true|false|null|-?\d{1,3}|""|'')$/i

const SIGN = /^[=!<>~?(]/

/** A filter, valid or not, with `…` for its values, as in `to = … && created > @todayStart`. */
export function hideValues(filter: string): string {
  const tokens = filter.match(TOKEN) ?? []
  return tokens
    .map((token, i) =>
      hideFilterToken(token, tokens[/^\s/.test(tokens[i + 1] ?? '') ? i + 2 : i + 1]),
    )
    .join('')
}

function hideFilterToken(token: string, next = ''): string {
  if (/^[\s=!<>~?&|(),]/.test(token)) return token
  if (CONSTANT.test(token) && !hasNumber(token)) return token
  return WORD.test(token) && SIGN.test(next) && !hasNumber(token) ? token : '…'
}
