import { readFileSync } from 'node:fs'
import { UserError } from '../errors.ts'

/** A JSON file's content. Throws a UserError that names the file and what is wrong with it. */
export function readJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new UserError(`${file} is no JSON: ${(error as Error).message}`)
  }
}

/** True for a JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
