import { isAmbiguousNumber, readContactFieldValue } from '#portable/contact-field-value.ts'
import { locale } from '../language/language.ts'
import { formatNumber, t } from '../language/words.ts'
import { accountLocale } from './account-locale.ts'
import { readFields } from './contact-fields.ts'
import type { Contact, ContactField } from './record-types.ts'

/** A contact's custom fields for people: by their present names, with days as the language writes them. */
export function describeFields(
  contact: Pick<Contact, 'data'>,
  fields: readonly ContactField[],
): [name: string, value: string][] {
  const others = readFields(contact).filter(([key]) => !fields.some((field) => field.key === key))
  return [
    ...fields
      .map((field): [string, string] => [field.name, describeField(contact, field)])
      .filter(([, value]) => value !== ''),
    ...others,
  ]
}

/** A contact's value of a field for people; '' if it has none. */
export function describeField(contact: Pick<Contact, 'data'>, field: ContactField): string {
  const stored = readFields(contact).find(([key]) => key === field.key)?.[1] ?? ''
  return stored && describeValue(field, stored)
}

/** A stored date is a day without a time zone. */
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

function describeValue(field: ContactField, stored: string): string {
  const value = spellValue(field, stored)
  if (isOlderThanType(field, stored)) return value
  if (field.type === 'date') return date.format(new Date(value))
  return field.type === 'number' ? formatNumber(Number(value)) : value
}

const readValue = (field: ContactField, typed: string) =>
  readContactFieldValue({ ...field, choices: field.choices ?? [] }, typed, accountLocale())

/** Numbers as JSON writes them are numbers: only who types `1.125` may mean 1125. */
const readStored = ({ type, choices }: ContactField, stored: string) =>
  readContactFieldValue(
    { type, choices: choices ?? [] },
    type === 'number' && String(Number(stored)) === stored ? Number(stored) : stored,
    accountLocale(),
  )

/** A stored value as the server writes it now. It may be older than the type of its field: `13.12.2026`. */
export function spellValue(field: ContactField, stored: string): string {
  const reading = readStored(field, stored)
  return reading.fault ? stored : String(reading.value)
}

export const isOlderThanType = (field: ContactField, stored: string): boolean =>
  readStored(field, stored).fault !== undefined

/** Why a typed value does not fit its field; undefined if it does. */
export function findValueFault(field: ContactField, typed: string): string | undefined {
  const { fault } = readValue(field, typed)
  if (fault === 'number' && isAmbiguousNumber(typed)) return askWhichNumber(field, typed.trim())
  return (
    fault &&
    {
      text: t('{field} must be a text', { field: field.name }),
      number: t('{field} must be a number, such as 12.5', { field: field.name }),
      date: t('{field} must be a date, such as 2026-12-31', { field: field.name }),
      choice: t('{field} must be one of: {choices}', {
        field: field.name,
        choices: (field.choices ?? []).join(', '),
      }),
    }[fault]
  )
}

function askWhichNumber({ name }: ContactField, typed: string): string {
  const small = Number(typed.replace(',', '.'))
  return t('{field}: {value} may mean {large} or {small}. Write one of the two', {
    field: name,
    value: typed,
    large: typed.replace(/[.,]/, ''),
    // a fourth digit makes it clear
    small: Number.isInteger(small * 100) ? formatNumber(small) : `${small}0`,
  })
}
