import {
  endedAccount,
  hasTeamRole,
  isUser,
  type Session,
  signOut,
  stopActing,
} from '../data/session.ts'
import { chooseAccount, unproven, useAccounts } from '../data/team/chosen-account.ts'
import { ROLE_WORDS } from '../data/team/team.ts'
import { t } from '../language/words.ts'
import { Button, Notice } from '../parts/form/form.tsx'
import { showToastFault } from '../parts/toast.tsx'
import { mayLeave } from '../router.ts'

export function AccountSwitch({ session }: { session: Session }) {
  const accounts = useAccounts(session)
  const { person, record } = session
  if (accounts.length === 0) return null
  const choose = async (select: HTMLSelectElement) => {
    const { value } = select
    select.value = record.id
    if (await mayLeave()) await chooseAccount(person.id, value).catch(showToastFault)
  }
  return (
    <select
      class="account-switch"
      aria-label={t('Account')}
      value={record.id}
      onChange={(event) => void choose(event.currentTarget)}
    >
      <option value={person.id}>
        {t('{name} ({role})', {
          name: person.name || person.email,
          role: person.member_only ? t('your sign-in') : t('your own account'),
        })}
      </option>
      {accounts.map(({ id, name, role }) => (
        <option key={id} value={id}>
          {t('{name} ({role})', { name, role: ROLE_WORDS[role] })}
        </option>
      ))}
    </select>
  )
}

/** The bar above each page while a superuser sees the account of a user. */
export const Visit = ({ session: { isVisit, email } }: { session: Session }) =>
  isVisit ? (
    <Notice>
      <div class="row">
        {t('You see the account of {email}, and can change nothing in it.', { email })}
        <Button kind="quiet" onClick={stopActing}>
          {t('Leave the account')}
        </Button>
      </div>
    </Notice>
  ) : null

const sayEnded = ({ name, why }: NonNullable<typeof endedAccount.value>) =>
  why
    ? t('You cannot work for {name} now. {reason}', { name, reason: why })
    : t(
        'You no longer have access to the account {name}: your membership has ended, or the account was closed.',
        { name },
      )

/** Why the person does not see an account of a team: the directory must confirm it, or it has ended. */
export const EndedAccount = ({ session: { person, record } }: { session: Session }) =>
  unproven.value && person.id === record.id ? (
    <UnprovenAccount name={unproven.value.name} />
  ) : endedAccount.value ? (
    <Notice kind="warning">
      <div class="row">
        {sayEnded(endedAccount.value)}{' '}
        {hasTeamRole('owner') && isUser() && t('This is your own account.')}
        <Button
          kind="quiet"
          onClick={() => {
            endedAccount.value = null
          }}
        >
          {t('Close')}
        </Button>
      </div>
    </Notice>
  ) : null

const UnprovenAccount = ({ name }: { name: string }) => (
  <Notice kind="warning">
    <div class="row">
      {t(
        'The account {name} opens once you have signed in again with your organization. It asks for this once a day.',
        { name },
      )}{' '}
      <Button
        onClick={() => {
          endedAccount.value = null
          signOut()
        }}
      >
        {t('Sign in again')}
      </Button>
    </div>
  </Notice>
)
