import { locale } from '../../../language/language.ts'
import { t } from '../../../language/words.ts'
import { CONSTANTS, type CollectionName, type Found, FUNCTIONS, follow, MACROS, NAMES } from './names.ts'
import { nearest } from './near.ts'
import { type Problem, write } from './problem.ts'
import { isOperand, type Token, tokensOf } from './tokens.ts'

const NO_FIELD: Readonly<Record<CollectionName, (name: string) => string>> = {
  sms_messages: (name) => t('{name} is no field of messages.', { name }),
  sms_events: (name) => t('{name} is no field of a history.', { name }),
  devices: (name) => t('{name} is no field of devices.', { name }),
  lines: (name) => t('{name} is no field of lines.', { name }),
  users: (name) => t('{name} is no field of users.', { name }),
}
const DATE = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/

/** What is wrong with the names and values of a filter whose grammar is right. */
export function meaningProblems(filter: string, isSuperuser: boolean): Problem[] {
  const tokens = tokensOf(filter)
  const problems = tokens.flatMap((token, i) => {
    if (token.kind === 'call') return callProblems(filter, token)
    return token.kind === 'word' ? wordProblems(filter, token, tokens[i - 1], isSuperuser) : []
  })
  if (problems.length > 0) return problems
  return tokens.flatMap((token, i) => doubts(filter, tokens[i - 1], token, tokens[i + 1]))
}

function callProblems(filter: string, { start, text }: Token): Problem[] {
  const name = text.slice(0, text.indexOf('('))
  if (FUNCTIONS.has(name)) return []
  const meant = nearest(name, [...FUNCTIONS])
  const end = start + name.length
  return [
    {
      start,
      end,
      message: t('There is no function {name}. There are {functions}.', {
        name,
        functions: new Intl.ListFormat(locale).format([...FUNCTIONS]),
      }),
      ...(meant && { fix: write(filter, start, end, meant) }),
    },
  ]
}

function wordProblems(
  filter: string,
  token: Token,
  before: Token | undefined,
  isSuperuser: boolean,
): Problem[] {
  const { start, end, text } = token
  if (CONSTANTS.has(text.toLowerCase())) return []
  if (text.startsWith('@') || text.startsWith('#')) return macroProblems(filter, token, isSuperuser)
  const found = follow(text)
  if (!('wrong' in found)) return []
  if (before?.kind === 'sign' && !text.includes('.'))
    return [
      {
        start,
        end,
        message: t('{text} is no field. If it is a text, put it in quotes.', { text }),
        fix: write(filter, start, end, `"${text}"`),
      },
    ]
  return [wrongName(filter, start, found)]
}

function wrongName(filter: string, start: number, found: Exclude<ReturnType<typeof follow>, Found>): Problem {
  const { wrong, in: collection } = found
  const from = start + found.at
  const to = from + wrong.length

  const meant = nearest(wrong, Object.keys(NAMES[collection]))
  const message = wrong.startsWith(':') ? t('{wrong} is not known.', { wrong }) : NO_FIELD[collection](wrong)
  return { start: from, end: to, message, ...(meant && { fix: write(filter, from, to, meant) }) }
}

function macroProblems(filter: string, { start, end, text }: Token, isSuperuser: boolean): Problem[] {
  if (/^@(request|collection)\./.test(text))
    return isSuperuser
      ? []
      : [
          {
            start,
            end,
            message: t('Only superusers can filter by {name}.', { name: text.slice(0, text.indexOf('.')) }),
          },
        ]
  if (Object.hasOwn(MACROS, text) || text === '@rowid') return []
  const meant = nearest(text, Object.keys(MACROS))
  return [
    {
      start,
      end,
      message: t('{text} is not known.', { text }),
      ...(meant && { fix: write(filter, start, end, meant) }),
    },
  ]
}

/** `left` `sign` `right` that compares a field with a value it never has. */
function doubts(filter: string, left: Token | undefined, sign: Token, right: Token | undefined): Problem[] {
  if (sign.kind !== 'sign' || left?.kind !== 'word' || !right || !isOperand(right) || right.kind !== 'text')
    return []
  const found = follow(left.text)
  if ('wrong' in found) return []
  const value = right.text.slice(1, -1)
  const { name } = found
  const { start, end } = right
  if (value === '' || sign.text.includes('~')) return []
  if (name.values && !name.values.includes(value)) {
    const meant = nearest(value, name.values)
    const message = t('{name} is never {value}. It is one of {values}.', {
      name: left.text,
      value: right.text,
      values: name.values.join(', '),
    })
    return [
      { start, end, message, isDoubt: true, ...(meant && { fix: write(filter, start, end, `"${meant}"`) }) },
    ]
  }
  if (name.type === 'date' && !DATE.test(value))
    return [
      {
        start,
        end,
        message: t('Dates are written as "2026-11-20 07:00:00" (UTC), or @todayStart.'),
        isDoubt: true,
      },
    ]
  return []
}
