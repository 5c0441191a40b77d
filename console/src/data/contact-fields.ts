import { makeFieldTextFinder } from '#portable/field-text.ts'
import { isSameName } from '#portable/fold-text.ts'
import { accountLocale } from './account-locale.ts'
import { isObject } from './is-object.ts'
import type { Contact, ContactField } from './record-types.ts'

/** A contact's custom fields with a text, number or bool, which templates can use, by their keys. */
export function readFields({ data }: Pick<Contact, 'data'>): [name: string, value: string][] {
  if (!isObject(data)) return []
  return Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name, String(value)])
}

/** The field that has, or had, a name. */
export const findField = (
  fields: readonly ContactField[],
  name: string,
): ContactField | undefined =>
  fields.find((field) =>
    [field.name, field.key, ...(field.former ?? [])].some((one) => isSameName(one, name.trim())),
  )

/** The value of a custom field, by one of its names or a member of `data`, as texts write it. */
export const findContactField = (
  contact: Pick<Contact, 'data'>,
  name: string,
  fields: readonly ContactField[] = [],
): string | undefined => makeFieldTextFinder(contact.data, fields, accountLocale())(name)

/** A member of `data` of contacts as filters and sorts name it: any text may be its key. */
export const nameMember = (key: string): string =>
  `data.${[...key].map((letter) => (/[A-Za-z_]/.test(letter) ? letter : encode(letter))).join('')}`

const encode = (letter: string) =>
  [...new TextEncoder().encode(letter)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
    .join('')
