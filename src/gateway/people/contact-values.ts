import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { isObject, parseJson } from '../../platform/tools/json.ts'
import { readContactFieldValue } from '../../portable/contact-field-value.ts'
import { type ContactField, loadFieldDefinitions, makeFieldFinder } from '../base/contact-fields.ts'

type Values = Record<string, Value>
type Data = Readonly<Record<string, unknown>>

/**
 * Checks the changed members of a contact's `data` against the fields of its account, and stores each under
 * the field's key. Members that no field has may hold any JSON, and so may unchanged ones: they can be older
 * than their field. Throws 400 `data`.
 */
export async function fitContactValues(
  { db }: Store,
  values: Values,
  old?: Readonly<Values>,
): Promise<void> {
  if (values.data === old?.data && values.user === old?.user) return
  const data = readData(values.data)
  const before = values.user === old?.user ? readData(old?.data) : {}
  const changed = Object.keys(data).filter((name) => !isSame(data[name], before[name]))
  if (changed.length === 0) return
  const findField = makeFieldFinder(await loadFieldDefinitions(db, String(values.user)))
  const fitted = new Map(Object.entries(data))
  for (const name of changed) {
    const field = findField(name)
    if (!field) continue
    fitted.delete(name)
    fitted.set(field.key, fitValue(field, data[name]))
  }
  values.data = JSON.stringify(Object.fromEntries(fitted))
}

function readData(text: Value | undefined): Data {
  const data = typeof text === 'string' ? parseJson(text) : undefined
  return isObject(data) ? data : {}
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function fitValue(field: ContactField, given: unknown): unknown {
  const reading = readContactFieldValue(field, given)
  if (reading.fault === undefined) return reading.value
  throw invalidFields({
    data: makeFieldError(
      'validation_invalid_contact_field',
      `${field.name} ${describeType(field)}`,
      {
        field: field.name,
        type: field.type,
      },
    ),
  })
}

const describeType = ({ type, choices }: ContactField): string =>
  ({
    text: 'must be a text',
    number: 'must be a number, such as 12.5',
    date: 'must be a date, such as 2026-12-31',
    choice: `must be one of: ${choices.join(', ')}`,
  })[type]
