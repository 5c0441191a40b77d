import { t } from '../../language/words.ts'
import { countryChoices } from './country-field.tsx'

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
