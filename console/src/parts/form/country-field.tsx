import { phoneCountries } from '../../data/phone/phone-numbers.ts'
import { countryName } from '../../data/phone/phone-words.ts'
import { t } from '../../language/words.ts'
import { SelectField } from './field.tsx'

/** The country of numbers without one, as ISO 3166 alpha-2. */
export const CountryField = (props: {
  label?: string
  value: string
  onValue: (country: string) => void
  disabled?: boolean
  hint?: string
}) => (
  <SelectField
    label={t('Country of numbers without one')}
    name="country"
    {...props}
    choices={countryChoices(props.value)}
  />
)

type Choice = readonly [country: string, words: string]
let countries: readonly Choice[] | undefined

/** All countries by their names, with their calling codes. `chosen`: '' where none is chosen yet. */
function countryChoices(chosen: string): readonly Choice[] {
  countries ??= phoneCountries()
    .map(({ country, code }): Choice => [country, `${countryName(country)} (${code})`])
    .sort(([, a], [, b]) => a.localeCompare(b))
  return chosen === '' ? [['', t('Choose…')], ...countries] : countries
}

/** The country of numbers typed without one, beside their field. */
export const NumberCountry = ({ value, onValue }: { value: string; onValue: (country: string) => void }) => (
  <label class="number-country note">
    <span>{t('Country of numbers without one')}</span>
    <select name="number-country" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
      {countryChoices(value).map(([country, words]) => (
        <option key={country} value={country}>
          {words}
        </option>
      ))}
    </select>
  </label>
)
