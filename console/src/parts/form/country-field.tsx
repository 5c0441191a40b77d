import { listPhoneCountries } from '#portable/phone/format-phone.ts'
import type { Choices } from '../../data/choices.ts'
import { nameCountry } from '../../data/phone/phone-words.ts'
import { t } from '../../language/words.ts'
import { Options, SelectField } from './field.tsx'

/** Asks for the country of numbers without a calling code. Values are ISO 3166 alpha-2. */
export const CountryField = (props: { value: string; onValue: (country: string) => void }) => (
  <SelectField
    label={t('Country of numbers without a code')}
    name="country"
    {...props}
    choices={listCountryChoices(props.value)}
  />
)

let countries: Choices | undefined

/** All countries with their calling codes, sorted by name. If `chosen` is '', an empty choice is first. */
export function listCountryChoices(chosen: string): Choices {
  countries ??= listPhoneCountries()
    .map(({ country, code }) => [country, `${nameCountry(country)} (${code})`] as const)
    .sort(([, a], [, b]) => a.localeCompare(b))
  return chosen === '' ? [['', t('Choose…')], ...countries] : countries
}

/** A small menu beside a field for numbers: the country of numbers typed without a calling code. */
export const NumberCountry = ({
  value,
  onValue,
}: {
  value: string
  onValue: (country: string) => void
}) => (
  <label class="number-country">
    <span class="note">{t('Country of numbers without a code')}</span>
    <select
      name="number-country"
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
    >
      <Options choices={listCountryChoices(value)} />
    </select>
  </label>
)
