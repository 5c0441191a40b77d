/** The first line of a CSV file that names its separator for Excel, such as `sep=;`. */
const LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i

/** Takes a byte order mark and a `sep=` line from the text of a CSV file. */
export function withoutSeparatorLine(text: string): { text: string; separator?: string } {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text
  const found = LINE.exec(plain)
  return found ? { text: plain.slice(found[0].length), separator: found[1]! } : { text: plain }
}
