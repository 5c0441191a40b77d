import type { Field, FieldTypeName } from '../../fields/field.ts'
import { parseDate } from '../../fields/types/date.ts'
import { writeSorted } from '../../fields/values/json-text.ts'
import {
  asObject,
  flag,
  object,
  optionalNumber,
  optionalTexts,
  type Shape,
  ShapeError,
  text,
  texts,
  whole,
} from './decode.ts'
import { addField } from './field-list.ts'

/** A date in any form that PocketBase reads; empty if it cannot be read. */
export const date: Shape<string> = {
  zero: () => '',
  fresh: () => '',
  over: (raw) => parseDate(text.over(raw ?? '', '')),
}

const NAMED = { id: text, name: text, hidden: flag, presentable: flag, system: flag }
const COMMON = { ...NAMED, help: text, required: flag }
const DOMAINS = { exceptDomains: optionalTexts, onlyDomains: optionalTexts }

/** Keys of each field type, without `type`. PocketBase: core/field_*.go */
const KEYS = {
  text: { ...COMMON, autogeneratePattern: text, max: whole, min: whole, pattern: text, primaryKey: flag },
  number: { ...COMMON, max: optionalNumber, min: optionalNumber, onlyInt: flag },
  bool: COMMON,
  email: { ...COMMON, ...DOMAINS },
  url: { ...COMMON, ...DOMAINS },
  editor: { ...COMMON, convertURLs: flag, maxSize: whole },
  date: { ...COMMON, max: date, min: date },
  autodate: { ...NAMED, onCreate: flag, onUpdate: flag },
  select: { ...COMMON, maxSelect: whole, values: texts },
  json: { ...COMMON, maxSize: whole },
  geoPoint: COMMON,
  relation: { ...COMMON, cascadeDelete: flag, collectionId: text, maxSelect: whole, minSelect: whole },
  file: {
    ...COMMON,
    maxSelect: whole,
    maxSize: whole,
    mimeTypes: optionalTexts,
    protected: flag,
    thumbs: optionalTexts,
  },
  password: { ...COMMON, cost: whole, max: whole, min: whole, pattern: text },
} satisfies Record<FieldTypeName, object>

type AnyField = Record<string, unknown>
const SHAPES = new Map(
  Object.entries(KEYS).map(([type, keys]) => [
    type,
    object(keys as object as Record<string, Shape<unknown>>) as Shape<AnyField>,
  ]),
)

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

const typeOf = (raw: unknown) =>
  Object.entries(asObject(raw)).findLast(([key]) => key.toLowerCase() === 'type')?.[1]

/** Reads a field from JSON, with all keys of its type in PocketBase's order. Throws a ShapeError. */
export function readField(raw: unknown): Field {
  const type = typeOf(raw)
  const shape = typeof type === 'string' ? SHAPES.get(type) : undefined
  if (!shape) throw new ShapeError(`missing or unknown field type in ${writeSorted(raw)}`)
  const read = { ...shape.over(raw, shape.zero()), type }
  return Object.fromEntries(Object.entries(read).sort(byKey)) as unknown as Field
}

/** A collection's fields. A submitted list replaces the present one. */
export const fieldList: Shape<Field[]> = {
  zero: () => [],
  fresh: () => [],
  over(raw) {
    if (raw === null) return []
    if (!Array.isArray(raw)) throw new ShapeError(`a list of fields expected, got ${JSON.stringify(raw)}`)
    return raw.map(readField).reduce<Field[]>(addField, [])
  },
}
