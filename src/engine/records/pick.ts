import { ApiError, badRequest } from '../../platform/api-errors.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { isObject } from '../../platform/tools/json.ts'
import { splitTokens, trimSpace } from '../../platform/tools/tokenize.ts'
import { toBool } from '../fields/convert-values.ts'
import { writeSortedJson } from '../fields/json-text.ts'
import { MAX_HTML, makeExcerpt } from './excerpt.ts'

type Modifier = (value: unknown, budget: Budget) => unknown
type Fields = Map<string, Modifier | undefined>
interface Level {
  readonly fields: Fields
  readonly below: Map<string, Level>
}

/** Maximum comparisons of keys with the paths of `fields`: some 25 ms. */
const MAX_COMPARISONS = 2_000_000

/** Comparisons and HTML left for a record, or for an answer that is no list. */
class Budget {
  #comparisons = MAX_COMPARISONS
  #html = MAX_HTML

  /** Throws 400 when `fields` names too many paths for the keys that are there. */
  compare(count: number): void {
    this.#comparisons -= count
    if (this.#comparisons < 0) throw badRequest()
  }

  start(html: string): string {
    const start = html.slice(0, this.#html)
    this.#html -= start.length
    return start
  }
}

const WHOLE = /^[-+]?(?:0[xX]_?[0-9a-fA-F]|0[bB]_?[01]|0[oO]?_?[0-7]|[0-9])(?:_?[0-9a-fA-F])*$/
const MAX_INT = 2n ** 63n

/** Reads a positive integer as Go does with base 0 (`0x1f`), ignoring decimals; 0 for anything else. */
function readWholeNumber(text: string): number {
  const whole = text.replace(/^([-+]?\d*)\.\d*$/, '$1')
  if (!WHOLE.test(whole)) return 0
  const digits = whole.replace(/[-+_]/g, '').replace(/^0[oO]?(?=[0-7])/, '0o')
  try {
    const value = BigInt(digits)
    return value < MAX_INT && !whole.startsWith('-') ? Number(value) : 0
  } catch {
    return 0
  }
}

/** Parses the only modifier, `excerpt(max,withEllipsis?)`; undefined if invalid. */
function readModifier(text: string): Modifier | undefined {
  const [name, max = '', ellipsis = '', ...more] = splitTokens(text, '(), ', false) ?? []
  const limit = readWholeNumber(max)
  if (name !== 'excerpt' || more.length > 0 || limit <= 0) return undefined
  const isEllipsis = toBool(ellipsis)
  return (value, budget) =>
    typeof value === 'string' ? makeExcerpt(budget.start(value), limit, isEllipsis) : value
}

/** Applies the `fields` parameter to JSON, or to its key `within`. Throws 400 if invalid. Contract 3.5 */
export const pickFields = (json: string, fieldsParam: string, within?: string): string =>
  pickFromJson(json, { fields: readFields(fieldsParam), below: new Map() }, within)

/** Applies the `fields` parameter to the records of a list, in slices. Throws 400 if invalid. */
export async function pickFieldsEach(
  items: readonly string[],
  fieldsParam: string,
): Promise<string[]> {
  const level = { fields: readFields(fieldsParam), below: new Map() }
  return admission.slices.map(items, (item) => pickFromJson(item, level), 1)
}

function pickFromJson(json: string, level: Level, within?: string): string {
  const value = JSON.parse(json)
  const picked = within === undefined ? value : value[within]
  if (!pickValue(picked, level, new Budget())) throw new ApiError(500)
  return writeSortedJson(value)
}

function readFields(param: string): Fields {
  const fields: Fields = new Map()
  const parts = splitTokens(param, ',')
  if (!parts) throw badRequest()
  for (const part of parts) {
    const [, name = '', modifier] = /^([^:]*)(?::(.*))?$/s.exec(trimSpace(part))!
    const change = modifier === undefined ? undefined : readModifier(modifier)
    if (modifier !== undefined && !change) throw badRequest()
    fields.set(name, change)
  }
  return fields
}

function pickValue(value: unknown, level: Level, budget: Budget): boolean {
  if (isObject(value)) return pickKeys(value, level, budget)
  if (!Array.isArray(value) || !isObject(value[0])) return true
  return value.every((item) => isObject(item) && pickKeys(item, level, budget))
}

function pickKeys(object: Record<string, unknown>, level: Level, budget: Budget): boolean {
  if (level.fields.size === 0) return true
  for (const key of Object.keys(object)) {
    const inner = findLevelBelow(key, level, budget)
    if (inner.fields.size === 0) delete object[key]
    else if (!inner.fields.has('')) {
      if (!pickValue(object[key], inner, budget)) return false
    } else {
      const modify = inner.fields.get('')
      if (modify) object[key] = modify(object[key], budget)
    }
  }
  return true
}

/** The rest of each path that begins with `key` ('' if nothing). `*` is for keys that no path names. */
function findLevelBelow(key: string, level: Level, budget: Budget): Level {
  const known = level.below.get(key)
  if (known) return known
  budget.compare(level.fields.size)
  const fields: Fields = new Map()
  for (const [path, modifier] of level.fields) {
    if (path === key) fields.set('', modifier)
    else if (path.startsWith(`${key}.`)) fields.set(path.slice(key.length + 1), modifier)
  }
  if (fields.size === 0 && level.fields.has('*')) fields.set('', level.fields.get('*'))
  const found = { fields, below: new Map() }
  level.below.set(key, found)
  return found
}
