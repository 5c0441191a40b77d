import { t } from '../language/words.ts'
import type { FieldRow } from '../parts/rows/rows.ts'

/** The email address of an account. Browsers fill it in with the password. */
export const EMAIL_ROW: FieldRow = {
  ...{ name: 'email', label: t('Email'), kind: 'email', autocomplete: 'username' },
}

/** What a form with `newPasswordRows` stores; without what is empty. */
export type Passwords = Readonly<Partial<Record<'oldPassword' | 'password' | 'passwordConfirm', string>>>

/** The password that an account has. */
export const passwordRow = (name: string, label: string): FieldRow => ({
  ...{ name, label, kind: 'password', autocomplete: 'current-password' },
})

/** A new password, twice. `label`: of the first field. */
export const newPasswordRows = (label: string): readonly FieldRow[] => [
  {
    ...{ name: 'password', label, kind: 'password', autocomplete: 'new-password' },
    hint: t('At least 8 characters.'),
  },
  {
    ...{ name: 'passwordConfirm', label: t('The same password again') },
    ...{ kind: 'password', autocomplete: 'new-password' },
  },
]
