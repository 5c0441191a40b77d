import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { isOtherForm } from '../../portable/phone/other-phone-forms.ts'
import { BY_PERSONS, loadAccountCountry, readNumber } from './read-numbers.ts'

type Values = Record<string, Value>

const NO_NUMBER = makeFieldError('validation_invalid_format', 'Invalid value format')

/**
 * Stores the number in a record's field in E.164. Leaves a name of a sender, and a text that is no number,
 * which the field's pattern refuses. Throws 400 for a `+` with too few or too many digits. `old`: the
 * record's former values.
 */
export async function completeNumber(
  store: Pick<Store, 'db'>,
  values: Values,
  field: string,
  old?: Readonly<Values>,
): Promise<void> {
  const given = values[field]
  if (typeof given !== 'string' || given === '' || given === old?.[field]) return
  const number = await readNumber(store, String(values.user), given, BY_PERSONS)
  if (number === undefined && given.startsWith('+') && !E164.test(given))
    throw invalidFields({ [field]: NO_NUMBER })
  values[field] = number ?? given
}

/** As `completeNumber` for a device or line, but keeps a second form, which its carrier uses. */
export const completeOwnNumber = async (
  ...[store, values, field, old]: Parameters<typeof completeNumber>
) => (isOtherForm(String(values[field])) ? undefined : completeNumber(store, values, field, old))

type ReadPart = (text: string, country: string) => string

/**
 * Stores each part of a list with commas as `read` reads it in the country of the record (a line's SIM, an
 * account's settings), else in the account's.
 */
export async function completeList(
  store: Pick<Store, 'db'>,
  values: Values,
  field: string,
  read: ReadPart,
  old?: Readonly<Values>,
): Promise<void> {
  const given = values[field]
  if (typeof given !== 'string' || given === '' || given === old?.[field]) return
  const country =
    String(values.country ?? '') || (await loadAccountCountry(store, String(values.user)))
  values[field] = given
    .split(',')
    .map((part) => read(part.trim(), country))
    .join(',')
}
