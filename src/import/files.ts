import { readFileSync, statSync } from 'node:fs'
import { UserError } from '../errors.ts'
import { type ListItem, readMembers, UnexpectedShape } from './json-members.ts'

/** Reads a JSON file. Throws a UserError that names the file and the fault. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw fault(file, error)
  }
}

/** Reads the records of a JSON file one by one. Throws a UserError that names file and fault. */
export function* readRecords(file: string): Generator<ListItem> {
  try {
    if (!statSync(file).isFile()) throw new UserError(`${file} is read twice: it must be a file on a disk.`)
    yield* readMembers(file)
  } catch (error) {
    throw fault(file, error)
  }
}

function fault(file: string, error: unknown): unknown {
  if (error instanceof UnexpectedShape) {
    const { member } = error
    const wanted =
      member === undefined ? 'an object of collections' : `collection ${member}: a list of records`
    return new UserError(`${file}: ${wanted} expected.`)
  }
  if (error instanceof SyntaxError) return new UserError(`${file} is no JSON: ${error.message}`)
  if (!(error instanceof Error) || !('code' in error)) return error
  return new UserError(`${file} cannot be read: ${error.message}`)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
