import { useMemo } from 'preact/hooks'
import { phoneCountries } from '../../data/phone/phone-numbers.ts'
import { countryName } from '../../data/phone/phone-words.ts'
import { t } from '../../language/words.ts'
import { SelectField } from './field.tsx'

/** The country of numbers that are written without one, as ISO 3166 alpha-2. */
export function CountryField(props: {
  label?: string
  value: string
  onValue: (country: string) => void
  disabled?: boolean
  hint?: string
}) {
  const choices = useMemo(countryChoices, [])
  const shown = props.value === '' ? [['', t('Choose…')] as const, ...choices] : choices
  return <SelectField label={t('Country of numbers without one')} name="country" {...props} choices={shown} />
}

const countryChoices = () =>
  phoneCountries()
    .map(({ country, code }) => [country, `${countryName(country)} (${code})`] as const)
    .sort(([, a], [, b]) => a.localeCompare(b))
