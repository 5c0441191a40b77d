import type { Fault } from '../../data/fault.ts'
import { t } from '../../language/words.ts'
import { CheckField, TextField } from '../../parts/form/field.tsx'

/** A user in the form; the quota is the typed text. */
export interface UserDraft {
  readonly email: string
  readonly name: string
  readonly quota: string
  readonly verified: boolean
  /** Absent for a new user, who always has an account. */
  readonly hasAccount?: boolean
  readonly password: string
}

export const FIELD_NAMES = ['email', 'name', 'monthly_quota', 'password'] as const

/** The body of the request. An empty password changes nothing. */
export const bodyOf = ({ email, name, quota, verified, hasAccount, password }: UserDraft) => ({
  email,
  name,
  verified,
  monthly_quota: Number(quota || 0),
  ...(hasAccount !== undefined && { member_only: !hasAccount }),
  ...(password && { password, passwordConfirm: password }),
})

/** The fields of a user. */
export const UserFields = ({
  value,
  onValue,
  fault,
  passwordHint,
}: {
  value: UserDraft
  onValue: (value: UserDraft) => void
  fault: Fault | undefined
  passwordHint: string
}) => (
  <>
    <TextField
      label={t('Email')}
      name="email"
      type="email"
      autocomplete="off"
      value={value.email}
      onValue={(email) => onValue({ ...value, email })}
      fault={fault}
    />
    <TextField
      label={t('Name')}
      name="name"
      autocomplete="off"
      value={value.name}
      onValue={(name) => onValue({ ...value, name })}
      fault={fault}
    />
    <TextField
      label={t('Password')}
      name="password"
      type="password"
      autocomplete="new-password"
      hint={passwordHint}
      value={value.password}
      onValue={(password) => onValue({ ...value, password })}
      fault={fault}
    />
    <TextField
      label={t('Messages a month')}
      name="monthly_quota"
      type="number"
      min={0}
      placeholder={t('As the server is set')}
      value={value.quota}
      onValue={(quota) => onValue({ ...value, quota })}
      fault={fault}
    />
    <CheckField
      label={t('Email verified')}
      name="verified"
      value={value.verified}
      onValue={(verified) => onValue({ ...value, verified })}
    />
    {value.hasAccount !== undefined && (
      <CheckField
        label={t('Has an account of their own')}
        name="member_only"
        value={value.hasAccount}
        onValue={(hasAccount) => onValue({ ...value, hasAccount })}
      />
    )}
  </>
)
