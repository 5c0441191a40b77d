import { fieldError } from '../../errors.ts'
import { type Field, isMulti } from '../../fields/field.ts'
import type { Problem } from '../checks/problems.ts'
import type { Collection } from '../collection.ts'
import builtIn from './builtin.json' with { type: 'json' }
import { complete } from './complete.ts'
import { readNew } from './read.ts'

/** The gateway's own collections as it makes them, with secrets of their own each time. */
export const builtInCollections = (): Collection[] => builtIn.map((raw) => complete(readNew(raw)))

const NEEDED: ReadonlyMap<string, Collection> = new Map(builtInCollections().map((one) => [one.id, one]))

/** Ids of the gateway's own collections: what it cannot work without. */
export const BUILT_IN_IDS: ReadonlySet<string> = new Set(NEEDED.keys())

/** True for a collection that the gateway cannot work without. */
export const isBuiltIn = ({ id }: Pick<Collection, 'id'>) => NEEDED.has(id)

function serves(needed: Field, field: Field | undefined): boolean {
  if (field?.type !== needed.type || isMulti(field) !== isMulti(needed)) return false
  if (needed.type === 'select' && field.type === 'select') {
    return needed.values.every((value) => field.values.includes(value))
  }
  return true
}

/**
 * Built-in collections may gain fields, values, rules and indexes; what the gateway itself reads and writes
 * must stay. Answers a sentence for the first change that would break it.
 */
export function builtInProblem(next: Collection): { readonly [key: string]: Problem } {
  const needed = NEEDED.get(next.id)
  if (!needed) return {}
  const code = 'validation_built_in_collection'
  if (next.name !== needed.name) {
    return { name: fieldError(code, `pocketsms needs the collection ${needed.name} under this name.`) }
  }
  const lost = needed.fields.find(
    (field) =>
      !serves(
        field,
        next.fields.find(({ name }) => name === field.name),
      ),
  )
  if (!lost) return {}
  const text = `pocketsms needs the field ${lost.name} of ${needed.name}: it cannot be removed or renamed, hold other values than it does, or lose one of its options.`
  return { fields: fieldError(code, text) }
}
