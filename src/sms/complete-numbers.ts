import type { Store } from '../collections/catalog.ts'
import { fieldError, invalidFields } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { E164 } from '../portable/phone/e164.ts'
import { readNumber } from './send/read-numbers.ts'

const NO_NUMBER = fieldError('validation_invalid_format', 'Invalid value format')

/**
 * Stores the number in a record's field in E.164. Leaves a name of a sender, and a text that is no number,
 * which the field's pattern refuses. Throws 400 for a `+` with too few or too many digits. `old`: the
 * record's former values.
 */
export async function completeNumber(
  store: Pick<Store, 'db'>,
  values: Record<string, Value>,
  field: string,
  old?: Readonly<Record<string, Value>>,
): Promise<void> {
  const given = values[field]
  if (typeof given !== 'string' || given === '' || given === old?.[field]) return
  const number = await readNumber(store, String(values.user), given)
  if (number === undefined && given.startsWith('+') && !E164.test(given))
    throw invalidFields({ [field]: NO_NUMBER })
  values[field] = number ?? given
}
