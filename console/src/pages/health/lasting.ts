const UNITS = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'min'],
] as const

/** A span of time in words: `40 s`, `12 min`, `3 hours`. */
export function lasting(seconds: number): string {
  const [length, word] = UNITS.find(([each]) => seconds >= 2 * each) ?? [1, 's']
  return `${Math.floor(seconds / length)} ${word}`
}
