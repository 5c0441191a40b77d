const MACROS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/** Smallest and largest value of each segment: minute, hour, day, month, day of the week. */
const BOUNDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const

/**
 * What is wrong with a cron expression, in PocketBase's words; undefined if nothing. PocketBase:
 * tools/cron/schedule.go
 */
export function cronFault(expression: string): string | undefined {
  if (MACROS.includes(expression)) return undefined
  const segments = expression.split(' ')
  if (segments.length !== 5)
    return 'invalid cron expression - must be a valid macro or to have exactly 5 space separated segments'
  for (const [i, [min, max]] of BOUNDS.entries()) {
    for (const part of segments[i]!.split(',')) {
      const fault = partFault(part, min, max)
      if (fault) return fault
    }
  }
  return undefined
}

function partFault(part: string, min: number, max: number): string | undefined {
  const [range = '', step, ...rest] = part.split('/')
  if (rest.length > 0) return 'invalid segment step format - must be in the format */n or 1-30/n'
  if (step !== undefined && !isWhole(step)) return notANumber(step)
  if (step !== undefined && (Number(step) < 1 || Number(step) > max))
    return `invalid segment step boundary - the step must be between 1 and the ${max}`
  return range === '*' ? undefined : rangeFault(range, min, max, Number(step ?? 1))
}

function rangeFault(range: string, min: number, max: number, step: number): string | undefined {
  const [from = '', to, ...rest] = range.split('-')
  if (rest.length > 0) return 'invalid segment range format - the range must have 1 or 2 parts'
  if (to === undefined && step !== 1)
    return 'invalid segment step - step > 1 could be used only with the wildcard or range format'
  if (!isWhole(from)) return notANumber(from)
  const isFromInside = Number(from) >= min && Number(from) <= max
  if (to === undefined)
    return isFromInside ? undefined : 'invalid segment value - must be between the min and max of the segment'
  if (!isFromInside) return `invalid segment range minimum - must be between ${min} and ${max}`
  if (!isWhole(to)) return notANumber(to)
  if (Number(to) < Number(from) || Number(to) > max)
    return `invalid segment range maximum - must be between ${Number(from)} and ${max}`
  return undefined
}

const isWhole = (text: string) => /^[+-]?\d+$/.test(text)
const notANumber = (text: string) => `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
