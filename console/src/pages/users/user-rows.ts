import type { User } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import type { FormRow } from '../../parts/rows/rows.ts'

/** The fields of a user. */
export const userRows = (passwordHint: string): readonly FormRow[] => [
  { name: 'email', label: t('Email'), autocomplete: 'off' },
  { name: 'name', label: t('Name'), autocomplete: 'off' },
  {
    ...{ name: 'password', label: t('Password'), kind: 'password' },
    ...{ autocomplete: 'new-password', hint: passwordHint },
  },
  { name: 'monthly_quota', label: t('Messages a month'), placeholder: t('As the server is set') },
  { name: 'verified', label: t('Email verified') },
]

/** The record of what was typed. An empty password changes nothing. */
export const userRecord = (fields: Readonly<Record<string, unknown>>) => ({
  ...fields,
  ...('password' in fields && { passwordConfirm: fields.password }),
})

/** Whether a user is disabled, by the settings that the list of users expands. */
export const isDisabled = ({ expand }: User): boolean => expand?.user_settings_via_user?.disabled === true
