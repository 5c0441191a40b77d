import type { User } from '../../data/record-types.ts'
import { writeEmail } from '../../data/text/write-email.ts'
import { t } from '../../language/words.ts'
import type { FormRow } from '../../parts/rows/form-row.ts'

export const makeUserRows = (passwordHint: string): readonly FormRow[] => [
  { name: 'email', label: t('Email'), autocomplete: 'off', write: writeEmail },
  { name: 'name', label: t('Name'), autocomplete: 'off' },
  {
    name: 'password',
    label: t('Password'),
    kind: 'password',
    autocomplete: 'new-password',
    hint: passwordHint,
  },
  { name: 'monthly_quota', label: t('Messages a month'), placeholder: t('As the server is set') },
  { name: 'verified', label: t('Email confirmed') },
]

/** A user record from form fields. Repeats a password as `passwordConfirm`, as PocketBase requires. */
export const makeUserRecord = (fields: Readonly<Record<string, unknown>>) => ({
  ...fields,
  ...('password' in fields && { passwordConfirm: fields.password }),
})

/** Whether a user is disabled. Needs the record's expanded `user_settings_via_user`. */
export const isUserDisabled = ({ expand }: User): boolean =>
  expand?.user_settings_via_user?.disabled === true
