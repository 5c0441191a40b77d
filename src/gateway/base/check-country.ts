import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { isCountry } from '../../portable/phone/numbering-plans.ts'

type Values = Readonly<Record<string, unknown>>

/** Throws 400 for a `country` that is none. An empty one is valid; an unchanged one (`old`) may stay. */
export function checkCountry({ country }: Values, old?: Values): void {
  if (!country || country === old?.country || isCountry(String(country))) return
  const message = 'Must be the ISO 3166 code of a country with phone numbers, such as DE.'
  throw invalidFields({ country: makeFieldError('validation_unknown_country', message) })
}
