import { type SyntaxFault, UNCLOSED } from './grammar.ts'
import { type Problem, replaced, write } from './problem.ts'
import { type Token, tokensOf } from './tokens.ts'

const SIGNS = '=, !=, ~ (contains), !~, >, >=, <, <='

/** Signs of other languages, and ours. */
const SIGNS_MEANT: Readonly<Record<string, string>> = {
  '==': '=',
  '===': '=',
  '<>': '!=',
  '!==': '!=',
  '=>': '>=',
  '=<': '<=',
  '~=': '~',
  '!': '!=',
}
const JOINS_MEANT: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  '&': '&&',
  '|': '||',
  '&&&': '&&',
  '|||': '||',
}

/** A fault of the grammar, in words for people. */
export function syntaxProblem(filter: string, fault: SyntaxFault): Problem {
  const tokens = tokensOf(filter)
  const token = tokens.find(({ start, end }) => start <= fault.start && fault.start < end)
  const { reason } = fault
  if (reason === UNCLOSED) return unclosed(filter, fault, ')', 'This bracket is never closed.')
  if (reason.startsWith('invalid quoted text') && token)
    return unclosed(filter, token, token.text[0]!, 'The quote that begins here is never closed.')
  if (reason.startsWith('invalid sign') && token) return wrongSign(filter, token)
  if (reason.startsWith('expected a sign') && token) return noSign(filter, token)
  if (/^(expected && or|invalid join)/.test(reason) && token) return noJoin(filter, token, tokens)
  if (token?.text === ')' && /^(unexpected|expected &&)/.test(reason)) return strayBracket(filter, token)
  if (reason.startsWith('expected left') && token) return noName(token)
  if (reason.startsWith('expected right') && token) return noValue(token)
  if (/^(invalid or incomplete|empty)/.test(reason)) return tooShort(filter, fault.start, tokens)
  const place = token ?? fault
  return {
    start: place.start,
    end: place.end,
    message: `This cannot stand here: ${filter.slice(place.start, place.end)}`,
  }
}

const unclosed = (filter: string, { start }: { start: number }, by: string, message: string): Problem => ({
  start,
  end: start + 1,
  message,
  fix: { words: `Add ${by} at the end`, filter: filter.trimEnd() + by },
})

function wrongSign(filter: string, { start, end, text }: Token): Problem {
  const meant = SIGNS_MEANT[text]
  return {
    start,
    end,
    message: `${text} is no comparison. There are ${SIGNS}.`,
    ...(meant && { fix: write(filter, start, end, meant) }),
  }
}

/** A sign is due; often the word before it is one in English. */
function noSign(filter: string, { start, end, text }: Token): Problem {
  const isWord = /^(is|equals)$/i.test(text)
  const like = /^(contains|like|has|includes)$/i.test(text)
  const by = isWord ? '=' : like ? '~' : undefined
  return {
    start,
    end,
    message: `A comparison is missing before ${text}: ${SIGNS}.`,
    ...(by && { fix: write(filter, start, end, by) }),
  }
}

function noJoin(filter: string, token: Token, tokens: readonly Token[]): Problem {
  const { start, end, text } = token
  const meant = JOINS_MEANT[text.toLowerCase()]
  if (meant)
    return { start, end, message: `Write && for “and”, || for “or”.`, fix: write(filter, start, end, meant) }
  const before = tokens[tokens.indexOf(token) - 1]
  const date = before?.kind === 'number' && /^\d{4}-\d\d?-\d\d?/.exec(filter.slice(before.start))?.[0]
  if (before && date) return bareDate(filter, before.start, date)
  return {
    start,
    end,
    message: `Before ${text} there must be && (and) or || (or).`,
    fix: { words: 'Write && before it', filter: replaced(filter, start, start, '&& ') },
  }
}

const strayBracket = (filter: string, { start, end }: Token): Problem => ({
  start,
  end,
  message: 'No bracket is open that this one could close.',
  fix: { words: 'Remove it', filter: replaced(filter, start, end, '').trimEnd() },
})

function bareDate(filter: string, start: number, date: string): Problem {
  const end = start + date.length
  return {
    start,
    end,
    message: 'A date stands in quotes.',
    fix: write(filter, start, end, `"${date}"`),
  }
}

const noName = ({ start, end, text }: Token): Problem => ({
  start,
  end,
  message: `Here the name of a field is missing, before ${text}.`,
})

const noValue = ({ start, end, text }: Token): Problem => ({
  start,
  end,
  message: `Here a value is missing, before ${text}: a text in quotes, a number, or a date such as @todayStart.`,
})

/** The filter, or what is in a bracket, ends where something is still due. */
function tooShort(filter: string, at: number, tokens: readonly Token[]): Problem {
  const before = tokens.findLast(({ end }) => end <= at)
  const place = { start: before?.start ?? at, end: before?.end ?? at }
  if (!before || before.kind === 'open') return { ...place, message: 'There is nothing in this bracket.' }
  if (before.kind === 'join') {
    const fix = {
      words: `Remove ${before.text}`,
      filter: replaced(filter, before.start, before.end, '').trimEnd(),
    }
    return { ...place, message: `After ${before.text} another condition must follow.`, fix }
  }
  if (before.kind === 'sign')
    return { ...place, message: `After ${before.text} a value must follow, as in status = "failed".` }
  return { ...place, message: `After ${before.text} a comparison must follow: ${SIGNS}.` }
}
