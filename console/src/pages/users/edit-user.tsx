import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { User } from '../../data/records.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { saveUserSettings } from '../../data/user-settings/save.ts'
import { t } from '../../language/words.ts'
import { confirmed, Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { EnableUser } from './enable-user.tsx'
import { isDisabled } from './is-disabled.ts'
import { bodyOf, FIELD_NAMES, type UserDraft, UserFields } from './user-fields.tsx'

const draftOf = ({ email, name, verified, member_only, monthly_quota }: User): UserDraft => ({
  email,
  name,
  verified,
  hasAccount: !member_only,
  quota: monthly_quota > 0 ? String(monthly_quota) : '',
  password: '',
})

/** Changes, disables, enables or deletes a user. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const draft = useDraft(`user.${user.id}`, draftOf(user), { secrets: ['password'] })
  const [isEnabling, setEnabling] = useState(false)
  const save = useTask(async () => {
    await pb.collection('users').update(user.id, bodyOf(draft.value))
    draft.saved()
    toast(t('{email} saved', { email: draft.value.email }))
    onClose()
  })
  const cancel = () => {
    draft.discard()
    onClose()
  }
  if (isEnabling) return <EnableUser user={user} onClose={onClose} />
  return (
    <Dialog title={user.email} onClose={onClose}>
      <Form onSubmit={save.run} fault={save.fault} names={FIELD_NAMES}>
        <UserFields
          value={draft.value}
          onValue={draft.set}
          fault={save.fault}
          passwordHint={t('Empty: it stays. A new one ends all sessions.')}
        />
        <Actions>
          <Button type="submit" kind="primary" busy={save.busy}>
            {t('Save')}
          </Button>
          <Button onClick={cancel}>{t('Cancel')}</Button>
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
        </Actions>
      </Form>
    </Dialog>
  )
}

async function disable(user: User, done: () => void): Promise<void> {
  const isSure = await confirmed({
    title: t('Disable {email}?', { email: user.email }),
    text: t(
      'All sessions end at once. Nobody can sign in as this user, API keys are refused, and devices get no messages. Nothing is deleted: campaigns are paused, messages wait. Before you enable the user you choose whether keys, devices and the like go on.',
    ),
    action: t('Disable'),
    danger: true,
  })
  if (isSure)
    await act(
      () => saveUserSettings(user.id, { disabled: true }),
      t('{email} is disabled', { email: user.email }),
      done,
    )
}

async function remove(user: User, done: () => void): Promise<void> {
  const isSure = await confirmed({
    title: t('Delete {email}?', { email: user.email }),
    text: t('All messages, contacts, devices and keys of this user go, too. This cannot be taken back.'),
    action: t('Delete everything'),
    danger: true,
  })
  if (!isSure) return
  await act(
    () => pb.collection('users').delete(user.id),
    t('{email} was deleted', { email: user.email }),
    done,
  )
}

async function act(work: () => Promise<unknown>, confirmation: string, done: () => void): Promise<void> {
  try {
    await work()
    toast(confirmation)
    done()
  } catch (error) {
    toastFault(error)
  }
}
