import { remembered } from '../data/remembered.ts'
import type { Role } from '../data/session.ts'
import { t } from '../language/words.ts'

const ROLES: readonly (readonly [Role, words: string])[] = [
  ['user', t('User')],
  ['superuser', t('Superuser')],
]

/** The kind of account chosen in the sign-in form. The browser remembers it. */
export const role = remembered<Role>('role', 'user')

export const accounts = () => (role.value === 'superuser' ? '_superusers' : 'users')

export const RoleSwitch = () => (
  <fieldset class="segments">
    <legend class="unseen">{t('Kind of account')}</legend>
    {ROLES.map(([value, words]) => (
      <label key={value}>
        <input
          class="unseen"
          type="radio"
          name="role"
          checked={role.value === value}
          onChange={() => {
            role.value = value
          }}
        />
        <span>{words}</span>
      </label>
    ))}
  </fieldset>
)
