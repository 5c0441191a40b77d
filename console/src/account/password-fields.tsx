import type { Fault } from '../data/fault.ts'
import { t } from '../language/words.ts'
import { TextField } from '../parts/form/field.tsx'

export interface NewPassword {
  readonly password: string
  readonly passwordConfirm: string
}

export const NO_PASSWORD: NewPassword = { password: '', passwordConfirm: '' }

/** A new password, twice. */
export const PasswordFields = ({
  value,
  onValue,
  fault,
  label = t('Password'),
}: {
  value: NewPassword
  onValue: (value: NewPassword) => void
  fault: Fault | undefined
  /** The label of the first field. */
  label?: string
}) => (
  <>
    <TextField
      label={label}
      name="password"
      type="password"
      autocomplete="new-password"
      hint={t('At least 8 characters.')}
      value={value.password}
      onValue={(password) => onValue({ ...value, password })}
      fault={fault}
    />
    <TextField
      label={t('The same password again')}
      name="passwordConfirm"
      type="password"
      autocomplete="new-password"
      value={value.passwordConfirm}
      onValue={(passwordConfirm) => onValue({ ...value, passwordConfirm })}
      fault={fault}
    />
  </>
)
