import { readFileSync } from 'node:fs'
import { UserError } from '../errors.ts'

/** The text of a file that the user has named. Throws a UserError. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
