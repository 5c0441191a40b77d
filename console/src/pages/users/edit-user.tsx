import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { User } from '../../data/record-types.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { saveUserSettings } from '../../data/user-settings/save.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog, deleteRecord, runConfirmed } from '../../parts/dialog/dialog.tsx'
import { Actions, Button, Notice } from '../../parts/form/form.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { toast } from '../../parts/toast.tsx'

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

/** A user record from form fields. Repeats a password as `passwordConfirm`, as PocketBase requires. */
export const userRecord = (fields: Readonly<Record<string, unknown>>) => ({
  ...fields,
  ...('password' in fields && { passwordConfirm: fields.password }),
})

/** Whether a user is disabled. Needs the record's expanded `user_settings_via_user`. */
export const isDisabled = ({ expand }: User): boolean => expand?.user_settings_via_user?.disabled === true

const ROWS = [
  ...userRows(t('Empty: it stays. A new one ends all sessions.')),
  {
    ...{ name: 'member_only', label: t('Has an account of their own') },
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
        prepare={userRecord}
        onSaved={({ email }) => {
          toast(t('{email} saved', { email }))
          onClose()
        }}
        onCancel={onClose}
      >
        {isDisabled(user) ? (
          <Button kind="quiet" onClick={() => setEnabling(true)}>
            {t('Enable…')}
          </Button>
        ) : (
          <Button kind="quiet" onClick={() => void disable(user, onClose)}>
            {t('Disable…')}
          </Button>
        )}
        <Button kind="quiet" icon="trash" onClick={() => void remove(user, onClose)}>
          {t('Delete…')}
        </Button>
      </RecordForm>
    </Dialog>
  )
}

const disable = (user: User, done: () => void) =>
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

const remove = (user: User, done: () => void) =>
  deleteRecord(
    user,
    {
      title: t('Delete {email}?', { email: user.email }),
      text: t('All messages, contacts, devices and keys of this user go, too. This cannot be taken back.'),
      action: t('Delete everything'),
    },
    t('{email} was deleted', { email: user.email }),
    done,
  )

const LISTS = {
  api_keys: t('API keys'),
  devices: t('Devices'),
  webhooks: t('Outgoing webhooks'),
  hooks: t('Incoming webhooks'),
  auto_answers: t('Automatic answers'),
  campaigns: t('Campaigns'),
} as const
type ListName = keyof typeof LISTS

type Access = Readonly<
  Record<ListName, { total: number; items: readonly { id: string; name: string }[] }>
> & {
  readonly waiting: number
}

/** Lists a disabled user's devices, keys and the like. Asks whether enabling the user ends or keeps them. */
function EnableUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { value, fault } = useAnswer<Access>(`/api/users/${user.id}/access`)
  const enable = useTask(async (access: 'end' | 'keep') => {
    await pb.send(`/api/users/${user.id}/enable`, { method: 'POST', body: { access } })
    toast(t('{email} can sign in again', { email: user.email }))
    onClose()
  })
  const wrong = enable.fault ?? fault
  return (
    <Dialog title={t('Enable {email}?', { email: user.email })} onClose={onClose}>
      <p>
        {t(
          'This acts for the user without a sign-in. Did somebody else have the password? Then end all of it.',
        )}
      </p>
      {wrong && <Notice kind="wrong">{wrong.message}</Notice>}
      {value && (
        <dl class="users-access">
          {(Object.keys(LISTS) as ListName[]).map((name) => (
            <div key={name}>
              <dt>
                {LISTS[name]}: {formatNumber(value[name].total)}
              </dt>
              {value[name].items.map((item) => (
                <dd key={item.id}>{item.name || '–'}</dd>
              ))}
            </div>
          ))}
          <div>
            <dt>
              {t('Messages that wait')}: {formatNumber(value.waiting)}
            </dt>
          </div>
        </dl>
      )}
      <p class="note">
        {t(
          'To end means: keys, devices and webhooks are deleted, automatic answers disabled, waiting campaigns and messages canceled. Campaigns that you keep stay paused.',
        )}
      </p>
      <Actions>
        <Button kind="primary" busy={enable.busy} onClick={() => void enable.run('keep')}>
          {t('Keep all and enable')}
        </Button>
        <Button icon="trash" busy={enable.busy} onClick={() => void enable.run('end')}>
          {t('End all and enable')}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </Actions>
    </Dialog>
  )
}
