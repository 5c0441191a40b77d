import type { Field } from '../../fields/field.ts'
import { checksum } from '../../tools/checksum.ts'

/** `type` and CRC-32 of the name, with a number appended if taken. */
function freeId(fields: readonly Field[], field: Field): string {
  const base = field.type + checksum(field.name)
  const taken = new Set(fields.map((other) => other.id))
  let id = base
  for (let i = 2; taken.has(id) && i < 1000; i++) id = base + i
  return id
}

/** Replaces the field with the same id (or name, without id), else appends. PocketBase: fields_list.go */
export function addField(fields: readonly Field[], field: Field): Field[] {
  const place = field.id
    ? fields.findIndex((other) => other.id === field.id)
    : fields.findIndex((other) => field.name !== '' && other.name === field.name)
  if (place < 0) return [...fields, field.id ? field : { ...field, id: freeId(fields, field) }]
  return fields.with(place, { ...field, id: fields[place]!.id })
}
