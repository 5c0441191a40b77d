import { createHash, randomUUID } from 'node:crypto'
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { UserError } from '../errors.ts'
import { parseJson } from '../tools/json.ts'

/** The result of a row: the accepted message, or why the row was refused. */
export interface RowResult {
  readonly line: number
  readonly phone: string
  readonly message?: string
  readonly error?: string
}

export type Results = ReturnType<typeof openResults>

/** Results by row, so that a run can continue. Throws a UserError for a file of another `csv` or template. */
export function openResults(file: string, csv: string, template: string) {
  const of = createHash('sha256').update(`${template}\n${csv}`).digest('hex')
  const isNew = !existsSync(file)
  // ignores a last line that a crash left incomplete
  const lines = isNew ? [] : readFileSync(file, 'utf8').split('\n')
  const [head, ...done] = lines.flatMap((line) => parseJson(line) ?? [])
  const { run, of: before } = (head ?? { run: randomUUID(), of }) as { run: string; of: string }
  if (!run || before !== of)
    throw new UserError(`${file} has the results of another file or template. Name a new one with --results.`)
  const accepted = new Set((done as RowResult[]).flatMap(({ line, message }) => (message ? [line] : [])))
  const descriptor = openToAppend(file)
  // the last line may have been torn by a kill. Not writeSync: on a disk that is full it writes a part, and
  // says nothing
  writeFileSync(descriptor, (isNew ? '' : '\n') + (head ? '' : `${JSON.stringify({ run, of })}\n`))
  fdatasyncSync(descriptor) // the run's id must survive a crash: `client_ref` contains it
  return {
    has: (line: number) => accepted.has(line),
    refOf: (line: number) => `${run}.${line}`,
    add: (result: RowResult) => writeFileSync(descriptor, `${JSON.stringify(result)}\n`),
    close: () => closeSync(descriptor),
  }
}

function openToAppend(file: string): number {
  try {
    return openSync(file, 'a')
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}. --results names another.`)
  }
}
