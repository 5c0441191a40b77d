import { readFileSync } from 'node:fs'
import { UserError } from '../errors.ts'

/** Reads a JSON file. Throws a UserError that names the file and the fault. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    const { message } = error as Error
    throw new UserError(
      error instanceof SyntaxError ? `${file} is no JSON: ${message}` : `${file} cannot be read: ${message}`,
    )
  }
}
