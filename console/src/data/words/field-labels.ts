import { t } from '../../language/words.ts'

/** Labels of fields whose names would mislead. */
const LABELS: Readonly<Record<string, string>> = {
  body: t('Text'),
  phone: t('Number'),
  opted_out: t('Opted out'),
  monthly_quota: t('Quota'),
  member_only: t('Has an account of their own'),
  time_zone: t('Time zone'),
  oldPassword: t('Present password'),
  passwordConfirm: t('Password again'),
}

/** A field's name in words: `smtp.authMethod` is `Smtp auth method`. */
export function labelOf(name: string): string {
  const known = LABELS[name]
  if (known) return known
  const words = name
    .replaceAll(/[._]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
