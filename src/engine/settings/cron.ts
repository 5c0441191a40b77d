import { Cron } from 'croner'

const MACRO = '@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)'
const NUMBER = String.raw`\+?\d+`
const STEP = String.raw`(?:/\+?[1-5]?\d)?`
const PART = `(?:(?:\\*|${NUMBER}-${NUMBER})${STEP}|${NUMBER}(?:/\\+?0*1)?)`
const SEGMENT = `${PART}(?:,${PART})*`
/** Step of a single number, as in `5/1`. PocketBase allows only 1. Croner allows none: it is removed. */
const STEP_OF_ONE = /\/0*1(?=[ ,]|$)/g
/** Minute, hour, day, month, day of the week (Sunday is 0, never 7). */
const EXPRESSION = new RegExp(`^(?:${MACRO}|(?:${SEGMENT} ){4}(?!.*[7-9])${SEGMENT})$`)

/** Parses PocketBase's cron expressions. Throws an Error for others. PocketBase: tools/cron/schedule.go */
export function parseCron(expression: string, timezone = 'UTC'): Cron {
  if (!EXPRESSION.test(expression)) {
    throw new Error(
      'invalid cron expression - must be a valid macro or to have exactly 5 space separated segments',
    )
  }
  const pattern = expression.replaceAll('+', '').replace(STEP_OF_ONE, '')
  return new Cron(pattern, {
    timezone,
    mode: '5-part',
    domAndDow: true,
    fixedTimeRule: 'no-wildcard',
  })
}

export function findCronFault(expression: string): string | undefined {
  try {
    parseCron(expression)
    return undefined
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, 'invalid cron expression - ')
  }
}
