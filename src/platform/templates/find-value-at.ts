import { badRequest } from '../api-errors.ts'
import { parseJson } from '../tools/json.ts'

/** Texts of JSON up to this many characters are read, as many as a message of AWS SNS has. */
const MAX_CHARACTERS = 256 << 10
const CHARACTERS_A_STEP = 50

/**
 * Returns a function that replaces a text of JSON by its value, as in `Message` of AWS SNS, and leaves other
 * values. It reads each text once and passes the steps of its work to `countSteps`.
 */
export function makeJsonTextReader(
  countSteps: (steps: number) => void = () => {},
): (value: unknown) => unknown {
  const values = new Map<string, unknown>()
  return (value) => {
    if (typeof value !== 'string' || value.length > MAX_CHARACTERS || !/^\s*[{[]/.test(value))
      return value
    if (!values.has(value)) {
      countSteps(Math.ceil(value.length / CHARACTERS_A_STEP))
      values.set(value, parseJson(value))
    }
    return values.get(value)
  }
}

/** The value at a path, also within texts of JSON; undefined if there is none. Reads own properties only. */
export const findValueAt = (
  from: unknown,
  names: readonly string[],
  readText: (value: unknown) => unknown = makeJsonTextReader(),
): unknown =>
  names.reduce<unknown>((text, name) => {
    const at = readText(text)
    const has = typeof at === 'object' && at !== null && Object.hasOwn(at, name)
    return has ? (at as Record<string, unknown>)[name] : undefined
  }, from)

export const makeMissingError = (names: readonly string[]) =>
  badRequest(`The body has no ${names.join('.').slice(0, 100) || 'text'}.`)
