import { createHash, randomUUID } from 'node:crypto'
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { UserError } from '../errors.ts'
import { parseJson } from '../tools/json.ts'

/** What became of a row: the message that was accepted, or why it was refused. */
export interface RowResult {
  readonly line: number
  readonly phone: string
  readonly message?: string
  readonly error?: string
}

/** Results by row, as JSON lines, so that a run can continue. Name and line make the `client_ref`. */
export class Results {
  readonly #descriptor: number
  readonly #run: string
  readonly #accepted = new Set<number>()

  /** Throws a UserError when `file` belongs to another `csv` or template, or cannot be written. */
  constructor(file: string, csv: string, template: string) {
    const of = createHash('sha256').update(`${template}\n${csv}`).digest('hex')
    const isNew = !existsSync(file)
    const [head, ...done] = isNew ? [] : readLines(file)
    const { run, of: before } = (head ?? { run: randomUUID(), of }) as { run: string; of: string }
    if (!run || before !== of)
      throw new UserError(
        `${file} has the results of another file or template. Name a new one with --results.`,
      )
    for (const { line, message } of done as RowResult[]) if (message) this.#accepted.add(line)
    this.#run = run
    this.#descriptor = openToAppend(file)
    // A crash may have left the last line incomplete. On a full disk, writeSync would write a part silently.
    writeFileSync(this.#descriptor, (isNew ? '' : '\n') + (head ? '' : `${JSON.stringify({ run, of })}\n`))
    fdatasyncSync(this.#descriptor) // the next run needs the name to know what was sent
  }

  has(line: number): boolean {
    return this.#accepted.has(line)
  }

  refOf(line: number): string {
    return `${this.#run}.${line}`
  }

  add(result: RowResult): void {
    writeFileSync(this.#descriptor, `${JSON.stringify(result)}\n`)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function openToAppend(file: string): number {
  try {
    return openSync(file, 'a')
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}. --results names another.`)
  }
}

/** Ignores a last line that a crash left incomplete. */
const readLines = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => parseJson(line) ?? [])
