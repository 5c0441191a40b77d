import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { User } from '../../data/record-types.ts'
import { saveUserSettings } from '../../data/user-settings/save.ts'
import { t } from '../../language/words.ts'
import { Dialog, deleteRecord, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/form.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { showToast } from '../../parts/toast.tsx'
import { EnableUser } from './enable-user.tsx'
import { isUserDisabled, makeUserRecord, makeUserRows } from './user-rows.ts'

const ROWS = [
  ...makeUserRows(t('Empty: it stays. A new one ends all sessions.')),
  {
    name: 'member_only',
    label: t('Has an account of their own'),
    read: (isMember: unknown) => !isMember,
    write: (hasAccount: unknown) => !hasAccount,
  },
]

export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const [isEnabling, setEnabling] = useState(false)
  if (isEnabling) return <EnableUser user={user} onClose={onClose} />
  return (
    <Dialog title={user.email} onClose={onClose}>
      <RecordForm
        collection="users"
        record={user}
        rows={ROWS}
        prepare={makeUserRecord}
        onSaved={({ email }) => {
          showToast(t('{email} saved', { email }))
          onClose()
        }}
        onCancel={onClose}
      >
        {isUserDisabled(user) ? (
          <Button kind="quiet" onClick={() => setEnabling(true)}>
            {t('Enable…')}
          </Button>
        ) : (
          <Button kind="quiet" onClick={() => void disableUser(user, onClose)}>
            {t('Disable…')}
          </Button>
        )}
        <Button kind="quiet" onClick={() => void removeFactor(user, onClose)}>
          {t('Remove the second factor…')}
        </Button>
        <Button kind="quiet" icon="trash" onClick={() => void deleteUser(user, onClose)}>
          {t('Delete…')}
        </Button>
      </RecordForm>
    </Dialog>
  )
}

const disableUser = (user: User, done: () => void) =>
  runConfirmed(
    {
      title: t('Disable {email}?', { email: user.email }),
      text: t(
        'All sessions end at once. Nobody can sign in as this user, API keys are refused, and devices get no messages. Nothing is deleted: campaigns are paused, messages wait. Before you enable the user you choose whether keys, devices and the like go on.',
      ),
      action: t('Disable'),
    },
    () => saveUserSettings(user.id, { disabled: true }),
    t('{email} is disabled', { email: user.email }),
    done,
  )

const removeFactor = (user: User, done: () => void) =>
  runConfirmed(
    {
      title: t('Remove the second factor of {email}?', { email: user.email }),
      text: t(
        'Do this only if the user has lost the authenticator app, the passkeys and the recovery codes. Make sure that it is really the user who asks: the password alone signs in from then on.',
      ),
      action: t('Remove the second factor'),
    },
    () => pb.send(`/api/users/${user.id}/second-factor`, { method: 'DELETE' }),
    t('{email} signs in with the password alone', { email: user.email }),
    done,
  )

const deleteUser = (user: User, done: () => void) =>
  deleteRecord(
    user,
    {
      title: t('Delete {email}?', { email: user.email }),
      text: t(
        'All messages, contacts, devices and keys of this user are deleted, too. Deleted users cannot be restored.',
      ),
      action: t('Delete everything'),
    },
    t('{email} was deleted', { email: user.email }),
    done,
  )
