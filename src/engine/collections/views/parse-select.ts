import { splitTokens } from '../../../platform/tools/tokenize.ts'
import { ViewQueryError } from './view-query-error.ts'

export interface Identifier {
  readonly original: string
  readonly alias: string
}

const COMMENTS = /\/\*[\s\S]*?\*\/|--.+$/gm
const JOINS =
  /\s+(full\s+outer\s+join|left\s+outer\s+join|right\s+outer\s+join|full\s+join|cross\s+join|inner\s+join|outer\s+join|left\s+join|right\s+join|join)\s+?/gim
const DISCARDED = /\s+(where|group\s+by|having|order|limit|with)\s+?/gim
const NULLABLE_JOINS = /\b(left|right|full|outer)\s+(outer\s+)?join\b/i

/** Splits SQL at separators outside quotes and parentheses. Throws a ViewQueryError if one is not closed. */
export function splitSql(sql: string, separators: string): string[] {
  const parts = splitTokens(sql, separators)
  if (!parts) throw new ViewQueryError(`unbalanced parenthesis or quoted expression: "${sql}"`)
  return parts
}

const trimQuotes = (text: string, quotes = /^[`"[\];]+|[`"[\];]+$/g) =>
  text
    .split('.')
    .map((part) => part.replace(quotes, ''))
    .join('.')

function parseIdentifier(text: string): Identifier {
  const parts = splitSql(text, ' \n\t')
  if (parts.length > 3) throw new ViewQueryError(`invalid identifier parts [${parts.join(' ')}]`)
  if (parts.length === 3 && parts[1]!.toLowerCase() !== 'as')
    throw new ViewQueryError(`invalid identifier part - expected "as", got ${parts[1]}`)
  const alias = parts.length === 1 ? parts[0]!.split('.').at(-1)! : parts.at(-1)!
  return { original: trimQuotes(parts[0]!), alias: trimQuotes(alias, /^[`"'[\];]+|[`"'[\];]+$/g) }
}

export interface ParsedQuery {
  readonly columns: readonly Identifier[]
  readonly tables: readonly Identifier[]
  readonly outer: boolean
}

/** Reads the column and table names of a SELECT as loosely as PocketBase does. PocketBase: core/view.go */
export function parseQuery(query: string): ParsedQuery {
  const plain = query
    .trim()
    .replace(/^;+|;+$/g, '')
    .replace(COMMENTS, ' ')
  const marked = plain.replace(JOINS, ' __join__ ').replace(DISCARDED, ' __discard__ ')
  const parts = { select: '', from: '', join: '' }
  let part: keyof typeof parts | undefined
  let skip = false
  for (const token of splitKeepingSeparators(marked)) {
    const word = token.trim().toLowerCase()
    if (word === 'distinct') continue
    if (word === 'select' || word === 'from') {
      part = word
      skip = false
    } else if (word === '__join__') {
      if (part === 'join') parts.join += ','
      part = 'join'
      skip = false
    } else if (word === '__discard__') skip = true
    else {
      if (part === 'join' && word === 'on') skip = true
      if (!skip && part) parts[part] += ` ${token}`
    }
  }
  const identifiers = (text: string) => splitSql(text, ',').map(parseIdentifier)
  return {
    columns: identifiers(parts.select),
    tables: [...identifiers(parts.from), ...identifiers(parts.join)],
    outer: NULLABLE_JOINS.test(plain),
  }
}

function splitKeepingSeparators(sql: string): string[] {
  return splitSql(sql, ',').flatMap((part, i, all) => {
    const words = splitSql(part, ' \n\t')
    return i < all.length - 1 ? words.with(-1, `${words.at(-1)},`) : words
  })
}
