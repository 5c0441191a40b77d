import { t } from '../../language/words.ts'

const UNITS = [
  [86_400, (count: number) => t('{count} days', { count })],
  [3_600, (count: number) => t('{count} hours', { count })],
  [60, (count: number) => t('{count} min', { count })],
] as const
const SECOND = [1, (count: number) => t('{count} s', { count })] as const

/** A span of time in words: `40 s`, `12 min`, `3 hours`. */
export function describeDuration(seconds: number): string {
  const [length, words] = UNITS.find(([each]) => seconds >= 2 * each) ?? SECOND
  return words(Math.floor(seconds / length))
}
