import { isObject } from './is-object.ts'
import type { Contact } from './record-types.ts'

/** A contact's custom fields with a text, number or bool, which templates can use. */
export function readFields({ data }: Pick<Contact, 'data'>): [name: string, value: string][] {
  if (!isObject(data)) return []
  return Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name, String(value)])
}

/** The value of a custom field by its exact name or, if there is none, by its name in another case. */
export function findContactField(contact: Pick<Contact, 'data'>, name: string): string | undefined {
  const fields = readFields(contact)
  const lower = name.toLowerCase()
  const field =
    fields.find(([key]) => key === name) ?? fields.findLast(([key]) => key.toLowerCase() === lower)
  return field?.[1]
}
