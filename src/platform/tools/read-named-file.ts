import { readFileSync } from 'node:fs'
import { UserError } from '../api-errors.ts'

/** The text of a file that the user has named. Throws a UserError if it cannot be read. */
export const readText = (file: string): string => readBytes(file).toString('utf8')

/** The bytes of a file that the user has named. Throws a UserError if it cannot be read. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
