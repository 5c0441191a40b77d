import { FilterError } from '../errors.ts'
import type { Param, Sql } from '../sql/sql.ts'
import { sql } from '../sql/sql.ts'

const INDEX = /^\d+$/
const MAX_INDEX = 2 ** 31 - 1

/** A step into a JSON value: an object's key or a list's index. */
export type Step = { readonly key: string } | { readonly index: number }

/** The steps of a path. Throws a FilterError for an empty one. PocketBase: inflector.Columnify */
export function readSteps(path: readonly string[]): Step[] {
  return path.map((segment) => {
    const key = segment.replaceAll(':', '')
    if (key === '') throw new FilterError(`bad JSON path: "${path.join('.')}"`)
    return INDEX.test(segment) ? { index: Math.min(Number(key), MAX_INDEX) } : { key }
  })
}

const fixed = (cast: string, value: unknown): Param => ({ kind: 'param', cast, bind: () => value })

/** The JSON value at a path of a column; NULL if absent. A number is only a list index. */
export function extract(column: Sql, steps: readonly Step[]): { json: Sql; text: Sql } {
  let value = column
  let keys: string[] = []
  const flush = () => {
    if (keys.length > 0) value = sql`(${value} #> ${fixed('text[]', keys)})`
    keys = []
  }
  for (const step of steps) {
    if ('key' in step) keys.push(step.key)
    else {
      flush()
      value = sql`(CASE WHEN json_typeof(${value}) = 'array' THEN ${value} -> ${fixed('int', step.index)} END)`
    }
  }
  const text = sql`(${value} #>> ${fixed('text[]', keys)}) COLLATE "C"`
  flush()
  return { json: value, text }
}

/** The same for a known JSON text. */
export function extractKnown(json: string | null, steps: readonly Step[]): unknown {
  let value: unknown = json === null ? null : JSON.parse(json)
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return null
    if ('index' in step) value = Array.isArray(value) ? value[step.index] : null
    else
      value = Array.isArray(value) ? null : Object.hasOwn(value, step.key) ? (value as never)[step.key] : null
  }
  return value ?? null
}
