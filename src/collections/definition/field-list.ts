import type { Field } from '../../fields/field.ts'
import { checksum } from '../../tools/derived-id.ts'

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
