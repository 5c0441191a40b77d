import { computeChecksum } from '../../../platform/tools/random.ts'
import { COMMON_KEYS, FIELD_KEYS, type Field, type FieldTypeName } from '../../fields/field.ts'
import {
  flag,
  makeListShape,
  makeObjectShape,
  makeShape,
  requireObject,
  type Shape,
  ShapeError,
  text,
} from '../../fields/json-shapes.ts'
import { writeSortedJson } from '../../fields/json-text.ts'
import { parseDate } from '../../fields/parse-date.ts'

/** Shape of a date in any form that PocketBase reads. Any other text becomes ''. */
export const date = makeShape<string>(
  () => '',
  (raw) => parseDate(text.over(raw ?? '', '')),
)

const OWN: Partial<Record<FieldTypeName, object>> = { date: { max: date, min: date } }

type AnyField = Record<string, unknown>
const FIELD_SHAPES = new Map(
  Object.entries(FIELD_KEYS).map(([type, keys]) => {
    const common =
      type === 'autodate' ? COMMON_KEYS : { ...COMMON_KEYS, help: text, required: flag }
    const all = { ...common, ...keys, ...OWN[type as FieldTypeName] }
    return [
      type,
      makeObjectShape(all as object as Record<string, Shape<unknown>>) as Shape<AnyField>,
    ] as const
  }),
)

/** Reads a field from JSON, with all keys of its type in PocketBase's order. Throws a ShapeError. */
export function readField(raw: unknown): Field {
  const { type } = requireObject(raw)
  const own = FIELD_SHAPES.get(String(type))
  if (!own) throw new ShapeError(`missing or unknown field type in ${writeSortedJson(raw)}`)
  const read = { ...own.over(raw, own.zero()), type }
  return Object.fromEntries(
    Object.entries(read).sort(([a], [b]) => (a < b ? -1 : 1)),
  ) as unknown as Field
}

const FIELD = makeShape<Field>(() => ({}) as Field, readField)

export const fieldList = makeShape<Field[]>(
  () => [],
  (raw) => makeListShape(FIELD).over(raw, []).reduce<Field[]>(addField, []),
)

/** Returns `base` or, if that is taken, `base` with the first free number from 2 to 999. */
export function chooseFreeId(base: string, taken: ReadonlySet<string>): string {
  let id = base
  for (let i = 2; taken.has(id) && i < 1000; i++) id = base + i
  return id
}

const makeFieldId = (fields: readonly Field[], { type, name }: Field): string =>
  chooseFreeId(type + computeChecksum(name), new Set(fields.map(({ id }) => id)))

/**
 * Replaces the field with the same id or, if `field` has no id, with the same name. Appends `field` if it
 * replaces none. PocketBase: core/fields_list.go
 */
export function addField(fields: readonly Field[], field: Field): Field[] {
  const place = field.id
    ? fields.findIndex((other) => other.id === field.id)
    : fields.findIndex((other) => field.name !== '' && other.name === field.name)
  if (place < 0) return [...fields, field.id ? field : { ...field, id: makeFieldId(fields, field) }]
  return fields.with(place, { ...field, id: fields[place]!.id })
}
