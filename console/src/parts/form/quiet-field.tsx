import { describeHours } from '../../data/hours.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { CheckField } from './field.tsx'

/** Asks whether texts wait during the account's quiet hours. Hidden if the account has none. */
export function QuietField({
  value,
  onValue,
}: {
  value: boolean
  onValue: (isQuiet: boolean) => void
}) {
  if (!ownHours.value) return null
  const hours = describeHours(ownHours.value)
  return (
    <CheckField
      label={t('Wait during quiet hours ({hours})', { hours })}
      name="quiet_hours"
      value={value}
      onValue={onValue}
    />
  )
}
