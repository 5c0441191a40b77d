import type { Choices } from '../data/choices.ts'
import { rememberSignal } from '../data/remembered.ts'
import type { Role } from '../data/session.ts'
import { t } from '../language/words.ts'
import { Segments } from '../parts/form/choices.tsx'

const ROLES: Choices<Role> = [
  ['user', t('User')],
  ['superuser', t('Superuser')],
]

/** The kind of account chosen in the sign-in form. The browser remembers it. */
export const role = rememberSignal<Role>('role', 'user')

export const findSignInCollection = () => (role.value === 'superuser' ? '_superusers' : 'users')

export const RoleSwitch = () => (
  <Segments
    legend={t('Kind of account')}
    choices={ROLES}
    chosen={role.value}
    onChoose={(chosen) => {
      role.value = chosen
    }}
  />
)
