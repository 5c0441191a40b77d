import { t } from '../../language/words.ts'
import { CheckField } from './field.tsx'

/** Asks whether people without proof of consent are left out. */
export const ConsentField = (field: {
  value: boolean
  onValue: (needsConsent: boolean) => void
}) => (
  <CheckField
    label={t('Send only to people with proof of consent')}
    name="requires_consent"
    {...field}
  />
)
