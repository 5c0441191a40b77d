import { ClientResponseError } from 'pocketbase'
import { useState } from 'preact/hooks'
import {
  makeNewPasswordRows,
  makePasswordRow,
  type Passwords,
} from '../../account/password-fields.ts'
import { pb } from '../../data/client.ts'
import { leaveEndedSession, renewSession, type Session } from '../../data/session.ts'
import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { writeEmail } from '../../data/text/write-email.ts'
import { t, tx } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { Card, Reading } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { showToast } from '../../parts/toast.tsx'

/** Changes an email address. A user must confirm the new one by a mailed link, a superuser need not. */
export const EmailCard = ({ session }: { session: Session }) => (
  <Card title={t('Email')}>
    <p>{tx('You sign in as {email}.', { email: <strong>{session.email}</strong> })}</p>
    {session.role === 'superuser' ? <TakeEmail session={session} /> : <RequestEmail />}
  </Card>
)

const makeEmailRows = (name: string, hint: string): readonly FormRow[] => [
  { name, label: t('New email'), kind: 'email', autocomplete: 'email', hint, write: writeEmail },
]
const REQUESTED = makeEmailRows('newEmail', t('The new address gets a link to confirm it.'))
const TAKEN = makeEmailRows(
  'email',
  t('You will be signed out everywhere. Sign in with the new email.'),
)

function RequestEmail() {
  const [sentTo, setSentTo] = useState('')
  const { value: setup, fault } = useSetup()
  const ask = async (_: object, { newEmail }: { newEmail?: unknown }) => {
    await pb.collection('users').requestEmailChange(String(newEmail))
    setSentTo(String(newEmail))
    return ''
  }
  if (!setup) return <Reading value={setup} fault={fault} />
  if (!setup.sends_mail)
    return (
      <Notice kind="warning">
        {NO_MAIL} {t('A superuser can change your address on the page Users.')}
      </Notice>
    )
  if (sentTo)
    return (
      <Notice>
        {t(
          'A link is on its way to {sentTo}. Open it to confirm the address; until then nothing changes.',
          {
            sentTo,
          },
        )}
      </Notice>
    )
  return (
    <RowsForm
      draftKey="new-email"
      rows={REQUESTED}
      stored={{}}
      save={ask}
      action={t('Send the link')}
    />
  )
}

function TakeEmail({ session }: { session: Session }) {
  const save = async (_: object, { email }: { email?: unknown }) => {
    await pb.collection('_superusers').update(session.record.id, { email })
    leaveEndedSession()
    return t('Sign in with {email} now', { email: String(email) })
  }
  return (
    <RowsForm
      draftKey="new-email"
      rows={TAKEN}
      stored={{}}
      save={save}
      action={t('Change the email')}
    />
  )
}

const WRONG = t('This is not your password.')
const ROWS: readonly FormRow[] = [
  { ...makePasswordRow('oldPassword', t('Your current password')), refused: WRONG },
  ...makeNewPasswordRows(t('New password')),
  () => (
    <p key="ends" class="note">
      {t('You will be signed out everywhere else.')}
    </p>
  ),
]

/** Changes the password, which ends all sessions, then signs this browser in again. */
export const PasswordCard = ({ session }: { session: Session }) => (
  <Card title={t('Password')}>
    <RowsForm
      draftKey="password"
      rows={ROWS}
      stored={{}}
      action={t('Change the password')}
      save={(_, all) => changePassword(session, all)}
    />
  </Card>
)

async function changePassword(
  { role, record, email }: Session,
  passwords: Passwords,
): Promise<string> {
  const { oldPassword = '', password = '' } = passwords
  const collection = record.collectionName
  // the server does not check a superuser's old password: check it by signing in
  if (role === 'superuser') await signIn(email, oldPassword, collection).catch(throwWrongPassword)
  await pb.collection(collection).update(record.id, { oldPassword, ...passwords })
  const isSignedIn = await signIn(email, password, collection)
  showToast(
    isSignedIn ? t('Your new password is set') : t('Your new password is set. Sign in with it'),
  )
  if (isSignedIn) renewSession(pb.authStore.token, pb.authStore.record ?? record)
  else leaveEndedSession()
  return ''
}

/** Rethrows a refused sign-in (400) as an error of the field `oldPassword`, and other errors unchanged. */
function throwWrongPassword(error: unknown): never {
  if (!(error instanceof ClientResponseError) || error.status !== 400) throw error
  throw new ClientResponseError({
    status: 400,
    response: { data: { oldPassword: { message: WRONG } } },
  })
}

/** Signs in. Returns false if only a second factor is missing. Throws if the sign-in fails. */
async function signIn(email: string, password: string, collection: string): Promise<boolean> {
  try {
    await pb.collection(collection).authWithPassword(email, password)
    return true
  } catch (error) {
    if (error instanceof ClientResponseError && error.response.mfaId) return false
    throw error
  }
}
