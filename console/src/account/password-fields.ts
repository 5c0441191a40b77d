import { writeEmail } from '../data/text/write-email.ts'
import { t } from '../language/words.ts'
import type { FieldRow } from '../parts/rows/form-row.ts'

export const EMAIL_ROW: FieldRow = {
  name: 'email',
  label: t('Email'),
  kind: 'email',
  autocomplete: 'username',
  write: writeEmail,
}

export type Passwords = Readonly<
  Partial<Record<'oldPassword' | 'password' | 'passwordConfirm', string>>
>

export const makePasswordRow = (name: string, label: string): FieldRow => ({
  name,
  label,
  kind: 'password',
  autocomplete: 'current-password',
})

/** Two fields to type a new password twice. `label` is the label of the first field. */
export const makeNewPasswordRows = (label: string): readonly FieldRow[] => [
  {
    name: 'password',
    label,
    kind: 'password',
    autocomplete: 'new-password',
    hint: t('At least 8 characters.'),
  },
  {
    name: 'passwordConfirm',
    label: t('Repeat the password'),
    kind: 'password',
    autocomplete: 'new-password',
  },
]
