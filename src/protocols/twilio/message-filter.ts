import { readNumber } from '../../gateway/base/read-numbers.ts'
import type { TextChoice } from '../../gateway/messages/texts-with-numbers.ts'
import { readRequestDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import type { Parameters } from './parameters.ts'
import { makeInvalidError } from './twilio-errors.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

/** Which texts the parameters of a list name. Throws TwilioRefusal 20001. */
export async function readMessageFilter(call: Call): Promise<Omit<TextChoice, 'key'>> {
  const { parameters } = call
  const [to, from] = [await readFilterNumbers(call, 'To'), await readFilterNumbers(call, 'From')]
  const on = readDate(parameters, 'DateSent')
  const [after, before] = [readDate(parameters, 'DateSent>'), readDate(parameters, 'DateSent<')]
  // midnight in UTC means the whole day: Twilio's libraries cannot send a plain date
  const length = on && (on.isDay || on.ms % DAY_MS === 0) ? DAY_MS : SECOND_MS
  return {
    to,
    from,
    periods: [
      ...(on ? [{ sinceMs: on.ms, beforeMs: on.ms + length }] : []),
      ...(after ? [{ sinceMs: after.ms }] : []),
      ...(before ? [{ beforeMs: before.ms + (before.isDay ? DAY_MS : SECOND_MS) }] : []),
    ],
  }
}

/** The number in a filter in E.164, and as given, since it may be the name of a sender. */
async function readFilterNumbers(
  { store, user, parameters }: Call,
  name: string,
): Promise<string[]> {
  const given = parameters.get(name) ?? ''
  if (given === '') return []
  const number = await readNumber(store, user, given)
  return [...new Set([given, number ?? ''])].filter((one) => one !== '')
}

function readDate(parameters: Parameters, name: string) {
  const text = parameters.get(name) ?? ''
  if (text === '') return undefined
  const at = readRequestDate(text)
  if (!at) throw makeInvalidError(`${name} must be a date, as 2026-11-21 or 2026-11-21T07:00:00Z`)
  return at
}
