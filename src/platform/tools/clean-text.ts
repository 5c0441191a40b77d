/** Removes what Postgres cannot store: NUL is dropped, a lone surrogate becomes U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}
