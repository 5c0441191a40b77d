import { UserError } from '../../../platform/api-errors.ts'

export const makeOption = (description: string, valueHint: string, fallback: string) =>
  ({ type: 'string', description, valueHint, default: fallback }) as const
export const makeNumberOption = (description: string, fallback = '0') =>
  makeOption(description, 'N', fallback)

export const SIMS = makeNumberOption('simulator, termux: number of SIM cards; 0: unknown')

export const SETTINGS_OPTION = makeOption(
  "smpp, http: JSON file with the carrier's account",
  'FILE',
  '',
)

/** Reads the number of an option. Throws a UserError unless it is one from `min` to `max`. */
export function readNumberOption(
  name: string,
  text: string,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max) return value
  const range = max < Infinity ? ` from ${min} to ${max}` : min === 0 ? ' from 0 on' : ''
  throw new UserError(`--${name} must be a number${range}.`)
}
