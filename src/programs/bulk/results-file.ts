import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { UserError } from '../../platform/api-errors.ts'
import { parseJson } from '../../platform/tools/json.ts'

/** The result of a row: the accepted message, or why the row was refused. */
interface RowResult {
  readonly line: number
  readonly phone: string
  readonly message?: string
  readonly error?: string
}

export type Results = ReturnType<typeof openResults>

/** Opens the file of results, new or of an earlier run. Throws a UserError if `csv` or template differ. */
export function openResults(file: string, csv: string, template: string) {
  const of = createHash('sha256').update(`${template}\n${csv}`).digest('hex')
  const isNew = !existsSync(file)
  // ignores a last line that a crash left incomplete
  const lines = isNew ? [] : readFileSync(file, 'utf8').split('\n')
  const [head, ...done] = lines.flatMap((line) => parseJson(line) ?? [])
  const { run, of: before } = (head ?? { run: randomUUID(), of }) as { run: string; of: string }
  if (!run || before !== of)
    throw new UserError(
      `${file} has the results of another file or template. Name a new one with --results.`,
    )
  const accepted = new Set(
    (done as RowResult[]).flatMap(({ line, message }) => (message ? [line] : [])),
  )
  const descriptor = openToAppend(file)
  // begin a new line: a kill may have cut the last one. writeSync might write only a part, as on a full disk
  writeFileSync(descriptor, (isNew ? '' : '\n') + (head ? '' : `${JSON.stringify({ run, of })}\n`))
  fdatasyncSync(descriptor) // the run's id must survive a crash: `client_ref` contains it
  return {
    file,
    has: (line: number) => accepted.has(line),
    refOf: (line: number) => `${run}.${line}`,
    add: (result: RowResult) => writeFileSync(descriptor, `${JSON.stringify(result)}\n`),
    close: () => closeSync(descriptor),
  }
}

function openToAppend(file: string) {
  try {
    return openSync(file, 'a')
  } catch (error) {
    throw new UserError(
      `${file} cannot be written: ${(error as Error).message}. --results names another.`,
    )
  }
}
