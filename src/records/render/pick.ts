import { ApiError, badRequest } from '../../errors.ts'
import { writeSorted } from '../../fields/values/json-text.ts'
import { splitTokens, trimSpace } from '../../tools/tokenize.ts'
import { excerpt } from './excerpt.ts'

type Modifier = (value: unknown) => unknown
type Fields = Map<string, Modifier | undefined>
/** The paths of one level. `below` caches the level under each key, which all objects of the level share. */
interface Level {
  readonly fields: Fields
  readonly below: Map<string, Level>
}

/** Texts that Go reads as true: strconv.ParseBool. */
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
/** Modifiers by name; undefined for wrong arguments. */
const MODIFIERS: Record<string, (args: readonly string[]) => Modifier | undefined> = {
  excerpt(args) {
    const [max = '', ellipsis = ''] = args
    const limit = readWhole(max)
    if (args.length > 2 || limit <= 0) return undefined
    return (value) => (typeof value === 'string' ? excerpt(value, limit, TRUE.has(ellipsis)) : value)
  },
}

/** Integer literals. Go also reads `010` as octal. */
const WHOLE = /^[-+]?(?:0[xX]_?[0-9a-fA-F]|0[bB]_?[01]|0[oO]?_?[0-7]|[0-9])(?:_?[0-9a-fA-F])*$/
const MAX_INT = 2n ** 63n

/** An integer as Go reads it with base 0, decimals cut; 0 for anything else. */
function readWhole(text: string): number {
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

/**
 * Applies the `fields` parameter to JSON: comma-separated dotted paths, `*`, `:excerpt(max,dots?)`. Sorts
 * keys. `within`: paths are relative to that key's items. Throws 400 for a malformed parameter, and for parts
 * of a list with other items PocketBase's 500. PocketBase: tools/picker/pick.go, contract 3.5
 */
export const pickFields = (json: string, fieldsParam: string, within?: string): string =>
  pickFrom(json, { fields: readFields(fieldsParam), below: new Map() }, within)

/** Applies the `fields` parameter to each item of a list. */
export function pickEach(items: readonly string[], fieldsParam: string): string[] {
  const level = { fields: readFields(fieldsParam), below: new Map() }
  return items.map((item) => pickFrom(item, level))
}

function pickFrom(json: string, level: Level, within?: string): string {
  const value = JSON.parse(json)
  if (!pick(within === undefined ? value : value[within], level)) throw new ApiError(500)
  return writeSorted(value)
}

/** Throws 400 if the list or a modifier is malformed. */
function readFields(param: string): Fields {
  const fields: Fields = new Map()
  const parts = splitTokens(param, ',')
  if (!parts) throw badRequest()
  for (const part of parts) {
    const [, name = '', modifier] = /^([^:]*)(?::(.*))?$/s.exec(trimSpace(part))!
    if (modifier === undefined) fields.set(name, undefined)
    else {
      const change = readModifier(modifier)
      if (!change) throw badRequest()
      fields.set(name, change)
    }
  }
  return fields
}

function readModifier(text: string): Modifier | undefined {
  const [name, ...args] = splitTokens(text, '(), ', false) ?? []
  return name !== undefined && Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name]!(args) : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes what is not named from an object or each object of a list. False for a list with other items. */
function pick(value: unknown, level: Level): boolean {
  if (isObject(value)) return pickKeys(value, level)
  if (!Array.isArray(value) || !isObject(value[0])) return true
  return value.every((item) => isObject(item) && pickKeys(item, level))
}

function pickKeys(object: Record<string, unknown>, level: Level): boolean {
  if (level.fields.size === 0) return true
  for (const key of Object.keys(object)) {
    const inner = below(key, level)
    if (inner.fields.size === 0) delete object[key]
    else if (!inner.fields.has('')) {
      if (!pick(object[key], inner)) return false
    } else {
      const modify = inner.fields.get('')
      if (modify) object[key] = modify(object[key])
    }
  }
  return true
}

/** The paths below a key; '' for one that ends there. `*` means keys that no path names. */
function below(key: string, level: Level): Level {
  const known = level.below.get(key)
  if (known) return known
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
