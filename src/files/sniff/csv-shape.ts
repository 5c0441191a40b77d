const MAX_LINES = 10

/** The lines of a text, each with its end, and one empty one behind the last. */
class Lines {
  #rest: string
  constructor(text: string) {
    this.#rest = text
  }

  get isDone(): boolean {
    return this.#rest === ''
  }

  next(): string {
    const end = this.#rest.indexOf('\n')
    const line = end < 0 ? this.#rest : this.#rest.slice(0, end + 1)
    this.#rest = this.#rest.slice(line.length)
    return line.replace(/\r\n?$/, (ending) => (ending === '\r' ? '' : '\n'))
  }
}

/**
 * How many fields the next line that has any holds; a quoted one may go on over several lines. Undefined at
 * the end.
 */
function countFields(lines: Lines, separator: string): number | undefined {
  let line = ''
  while (line === '' || line === '\n' || line.startsWith('#')) {
    if (lines.isDone) return undefined
    line = lines.next()
  }
  let fields = 0
  for (;;) {
    fields++
    if (!line.startsWith('"')) {
      const end = line.indexOf(separator)
      if (end < 0) return fields
      line = line.slice(end + 1)
      continue
    }
    const rest = afterQuoted(line.slice(1), lines, separator)
    if (rest === undefined) return fields
    line = rest
  }
}

/** What follows a quoted field and its separator; undefined when the line ends with it. */
function afterQuoted(text: string, lines: Lines, separator: string): string | undefined {
  let rest = text
  for (;;) {
    const end = rest.indexOf('"')
    if (end < 0) {
      if (rest === '') return undefined
      rest = lines.next()
      continue
    }
    rest = rest.slice(end + 1)
    if (rest[0] === separator) return rest.slice(1)
    if (rest === '' || rest === '\n') return undefined
    if (rest[0] === '"') rest = rest.slice(1)
  }
}

/**
 * Whether a text is a table: at least two lines of the same number of fields, two or more. Ten lines are
 * enough.
 * PocketBase: mimetype's internal/magic/text_csv.go, internal/csv
 */
export function isTable(text: string, separator: string): boolean {
  const lines = new Lines(text)
  const wanted = countFields(lines, separator) ?? 0
  if (wanted < 2) return false
  let count = 1
  while (count < MAX_LINES) {
    const fields = countFields(lines, separator)
    if (fields === undefined) break
    if (fields !== wanted) return false
    count++
  }
  return count >= 2
}
