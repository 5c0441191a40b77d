import { randomId } from '../../tools/random.ts'
import { complete, readNew } from './complete.ts'
import { collectionJson } from './serialise.ts'

const TYPES = ['auth', 'base', 'view']

/** A new collection of each type as JSON, without name and id: starting points for forms. */
export function scaffoldsJson(): string {
  const id = randomId(10) // the id becomes part of index names of auth collections
  const scaffold = (type: string) => collectionJson({ ...complete(readNew({ type, id })), id: '' })
  return `{${TYPES.map((type) => `"${type}":${scaffold(type)}`).join(',')}}`
}
