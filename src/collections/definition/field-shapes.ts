import { COMMON_KEYS, FIELD_KEYS, type Field, type FieldTypeName } from '../../fields/field.ts'
import { asObject, flag, object, type Shape, ShapeError, text } from '../../fields/shape.ts'
import { parseDate } from '../../fields/types/date.ts'
import { writeSorted } from '../../fields/values/json-text.ts'
import { checksum } from '../../tools/random.ts'

/** A date in any form that PocketBase reads; empty if it cannot be read. */
export const date: Shape<string> = {
  zero: () => '',
  fresh: () => '',
  over: (raw) => parseDate(text.over(raw ?? '', '')),
}

const OWN: Partial<Record<FieldTypeName, object>> = { date: { max: date, min: date } }

type AnyField = Record<string, unknown>
const SHAPES = new Map(
  Object.entries(FIELD_KEYS).map(([type, keys]) => {
    const common = type === 'autodate' ? COMMON_KEYS : { ...COMMON_KEYS, help: text, required: flag }
    const all = { ...common, ...keys, ...OWN[type as FieldTypeName] }
    return [type, object(all as object as Record<string, Shape<unknown>>) as Shape<AnyField>] as const
  }),
)

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** Reads a field from JSON, with all keys of its type in PocketBase's order. Throws a ShapeError. */
export function readField(raw: unknown): Field {
  const { type } = asObject(raw)
  const shape = typeof type === 'string' ? SHAPES.get(type) : undefined
  if (!shape) throw new ShapeError(`missing or unknown field type in ${writeSorted(raw)}`)
  const read = { ...shape.over(raw, shape.zero()), type }
  return Object.fromEntries(Object.entries(read).sort(byKey)) as unknown as Field
}

export const fieldList: Shape<Field[]> = {
  zero: () => [],
  fresh: () => [],
  over(raw) {
    if (raw === null) return []
    if (!Array.isArray(raw)) throw new ShapeError(`a list of fields expected, got ${JSON.stringify(raw)}`)
    return raw.map(readField).reduce<Field[]>(addField, [])
  },
}

/** An id, with a number from 2 to 999 appended if it is taken. */
export function freeId(base: string, taken: ReadonlySet<string>): string {
  let id = base
  for (let i = 2; taken.has(id) && i < 1000; i++) id = base + i
  return id
}

const newId = (fields: readonly Field[], { type, name }: Field): string =>
  freeId(type + checksum(name), new Set(fields.map(({ id }) => id)))

/** Replaces the field with the same id (or name, without id), else appends. PocketBase: fields_list.go */
export function addField(fields: readonly Field[], field: Field): Field[] {
  const place = field.id
    ? fields.findIndex((other) => other.id === field.id)
    : fields.findIndex((other) => field.name !== '' && other.name === field.name)
  if (place < 0) return [...fields, field.id ? field : { ...field, id: newId(fields, field) }]
  return fields.with(place, { ...field, id: fields[place]!.id })
}
