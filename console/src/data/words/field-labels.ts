/** What people call fields whose names say something else. */
const LABELS: Readonly<Record<string, string>> = {
  body: 'Text',
  phone: 'Number',
  opted_out: 'Opted out',
  monthly_quota: 'Quota',
  time_zone: 'Time zone',
  oldPassword: 'Present password',
  passwordConfirm: 'Password again',
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
