import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { UserError } from '../../platform/api-errors.ts'
import { parseJson } from '../../platform/tools/json.ts'

/** The result of a row: its text with its status, or why the row gets none. */
export interface RowResult {
  readonly line: number
  readonly phone: string
  readonly message?: string
  readonly status?: string
  readonly error?: string
}

const writeLines = (lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/**
 * Opens the file of results, new or of an earlier run of the same file and template, whose hash is `of`.
 * Throws a UserError if it has anything else.
 */
export function openResults(file: string, of: string) {
  const [first = ''] = existsSync(file) ? readFileSync(file, 'utf8').split('\n', 1) : []
  const head = parseJson(first) as { readonly of?: string; readonly campaign?: string } | undefined
  // a refused file may be corrected
  const isFree = head?.of === of || (head?.of !== undefined && head.campaign === undefined)
  if (existsSync(file) && !isFree)
    throw new UserError(
      `${file} has the results of another file or template. Name a new one with --results.`,
    )
  const write = (campaign: string, rows: readonly RowResult[]) => {
    try {
      writeFileSync(file, writeLines([{ of, ...(campaign && { campaign }) }, ...rows]))
    } catch (error) {
      throw new UserError(
        `${file} cannot be written: ${(error as Error).message}. --results names another.`,
      )
    }
  }
  if (!head?.campaign) write('', [])
  return { file, write }
}
