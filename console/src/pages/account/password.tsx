import { ClientResponseError } from 'pocketbase'
import { newPasswordRows, type Passwords, passwordRow } from '../../account/password-fields.ts'
import { pb } from '../../data/client.ts'
import { renewSession, type Session, signOut } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { toast } from '../../parts/toast.tsx'

const WRONG = t('This is not your password.')
const ROWS: readonly FormRow[] = [
  { ...passwordRow('oldPassword', t('Your current password')), refused: WRONG },
  ...newPasswordRows(t('New password')),
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

async function changePassword({ role, record, email }: Session, passwords: Passwords): Promise<string> {
  const { oldPassword = '', password = '' } = passwords
  const collection = record.collectionName
  // the server does not check a superuser's old password: check it by signing in
  if (role === 'superuser') await signIn(email, oldPassword, collection).catch(isWrong)
  await pb.collection(collection).update(record.id, { oldPassword, ...passwords })
  const isSignedIn = await signIn(email, password, collection)
  toast(isSignedIn ? t('Your new password is set') : t('Your new password is set. Sign in with it'))
  if (isSignedIn) renewSession(pb.authStore.token, pb.authStore.record ?? record)
  else signOut()
  return ''
}

/** Rethrows a refused sign-in (400) as an error of the field `oldPassword`, and other errors unchanged. */
function isWrong(error: unknown): never {
  if (!(error instanceof ClientResponseError) || error.status !== 400) throw error
  throw new ClientResponseError({ status: 400, response: { data: { oldPassword: { message: WRONG } } } })
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
