import { ClientResponseError } from 'pocketbase'
import { useState } from 'preact/hooks'
import { NO_PASSWORD, PasswordFields } from '../../account/password-fields.tsx'
import { pb } from '../../data/client.ts'
import { renewSession, type Session, signOut } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

const NAMES = ['oldPassword', 'password', 'passwordConfirm'] as const
const WRONG = t('This is not your password.')

/** Changes the password. That ends all sessions; this browser signs in again. */
export function PasswordCard({ session }: { session: Session }) {
  const [oldPassword, setOldPassword] = useState('')
  const [passwords, setPasswords] = useState(NO_PASSWORD)
  const save = useTask(() => changePassword(session, oldPassword, passwords))
  const isWrong =
    save.fault?.fields.oldPassword !== undefined || save.fault?.message === 'Failed to authenticate.'
  return (
    <Card title={t('Password')}>
      <Form onSubmit={save.run} fault={isWrong ? undefined : save.fault} names={NAMES}>
        <TextField
          label={t('Your present password')}
          name="oldPassword"
          type="password"
          autocomplete="current-password"
          value={oldPassword}
          onValue={setOldPassword}
          error={isWrong ? WRONG : undefined}
        />
        <PasswordFields
          value={passwords}
          onValue={setPasswords}
          fault={save.fault}
          label={t('New password')}
        />
        <p class="muted">{t('All other sessions end with the old password.')}</p>
        <FormActions busy={save.busy}>{t('Change the password')}</FormActions>
      </Form>
    </Card>
  )
}

async function changePassword(
  { role, record, email }: Session,
  oldPassword: string,
  passwords: typeof NO_PASSWORD,
): Promise<void> {
  const accounts = pb.collection(record.collectionName)
  // the server does not check a superuser's old password
  if (role === 'superuser') await signIn(email, oldPassword, record.collectionName)
  await accounts.update(record.id, { oldPassword, ...passwords })
  const isSignedIn = await signIn(email, passwords.password, record.collectionName)
  toast(isSignedIn ? t('Your new password is set') : t('Your new password is set. Sign in with it'))
  if (isSignedIn) renewSession(pb.authStore.token, pb.authStore.record ?? record)
  else signOut()
}

/** Signs in; false if the password is right but a second factor is needed. */
async function signIn(email: string, password: string, collection: string): Promise<boolean> {
  try {
    await pb.collection(collection).authWithPassword(email, password)
    return true
  } catch (error) {
    if (error instanceof ClientResponseError && error.response.mfaId) return false
    throw error
  }
}
