import { t } from '../../../language/words.ts'
import { type SyntaxFault, UNCLOSED } from './grammar.ts'
import { type Problem, replaced, write } from './problem.ts'
import { type Token, tokensOf } from './tokens.ts'

const SIGNS = '=, !=, ~ (contains), !~, >, >=, <, <='

/** Operators of other languages, and the filter's own. */
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
  if (UNCLOSED.test(reason)) return unclosed(filter, fault, ')', t('This bracket is never closed.'))
  if (reason.startsWith('invalid quoted text') && token)
    return unclosed(filter, token, token.text[0]!, t('The quote that begins here is never closed.'))
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
    message: t('This cannot stand here: {text}', { text: filter.slice(place.start, place.end) }),
  }
}

const unclosed = (filter: string, { start }: { start: number }, by: string, message: string): Problem => ({
  start,
  end: start + 1,
  message,
  fix: { words: t('Add {by} at the end', { by }), filter: filter.trimEnd() + by },
})

function wrongSign(filter: string, { start, end, text }: Token): Problem {
  const meant = SIGNS_MEANT[text]
  return {
    start,
    end,
    message: t('{text} is no comparison. There are {signs}.', { text, signs: SIGNS }),
    ...(meant && { fix: write(filter, start, end, meant) }),
  }
}

/** An operator is missing. Often the word before it is one in English. */
function noSign(filter: string, { start, end, text }: Token): Problem {
  const isWord = /^(is|equals)$/i.test(text)
  const like = /^(contains|like|has|includes)$/i.test(text)
  const by = isWord ? '=' : like ? '~' : undefined
  return {
    start,
    end,
    message: t('A comparison is missing before {text}: {signs}.', { text, signs: SIGNS }),
    ...(by && { fix: write(filter, start, end, by) }),
  }
}

function noJoin(filter: string, token: Token, tokens: readonly Token[]): Problem {
  const { start, end, text } = token
  const meant = JOINS_MEANT[text.toLowerCase()]
  if (meant)
    return {
      start,
      end,
      message: t('Write && for “and”, || for “or”.'),
      fix: write(filter, start, end, meant),
    }
  const before = tokens[tokens.indexOf(token) - 1]
  const date = before?.kind === 'number' && /^\d{4}-\d\d?-\d\d?/.exec(filter.slice(before.start))?.[0]
  if (before && date) return bareDate(filter, before.start, date)
  return {
    start,
    end,
    message: t('Before {text} there must be && (and) or || (or).', { text }),
    fix: { words: t('Write && before it'), filter: replaced(filter, start, start, '&& ') },
  }
}

const strayBracket = (filter: string, { start, end }: Token): Problem => ({
  start,
  end,
  message: t('No bracket is open that this one could close.'),
  fix: { words: t('Remove it'), filter: replaced(filter, start, end, '').trimEnd() },
})

function bareDate(filter: string, start: number, date: string): Problem {
  const end = start + date.length
  return {
    start,
    end,
    message: t('A date stands in quotes.'),
    fix: write(filter, start, end, `"${date}"`),
  }
}

const noName = ({ start, end, text }: Token): Problem => ({
  start,
  end,
  message: t('Here the name of a field is missing, before {text}.', { text }),
})

const noValue = ({ start, end, text }: Token): Problem => ({
  start,
  end,
  message: t(
    'Here a value is missing, before {text}: a text in quotes, a number, or a date such as @todayStart.',
    { text },
  ),
})

/** The filter, or a bracket, ends too early. */
function tooShort(filter: string, at: number, tokens: readonly Token[]): Problem {
  const before = tokens.findLast(({ end }) => end <= at)
  const place = { start: before?.start ?? at, end: before?.end ?? at }
  if (!before || before.kind === 'open') return { ...place, message: t('There is nothing in this bracket.') }
  if (before.kind === 'join') {
    const fix = {
      words: t('Remove {text}', { text: before.text }),
      filter: replaced(filter, before.start, before.end, '').trimEnd(),
    }
    return { ...place, message: t('After {text} another condition must follow.', { text: before.text }), fix }
  }
  if (before.kind === 'sign')
    return {
      ...place,
      message: t('After {text} a value must follow, as in status = "failed".', { text: before.text }),
    }
  return {
    ...place,
    message: t('After {text} a comparison must follow: {signs}.', { text: before.text, signs: SIGNS }),
  }
}
