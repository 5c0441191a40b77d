import { postRequest } from '../../data/client.ts'
import type { User } from '../../data/record-types.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Actions, Button, Notice } from '../../parts/form/form.tsx'
import { showToast } from '../../parts/toast.tsx'

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
export function EnableUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { value, fault } = useAnswer<Access>(`/api/users/${user.id}/access`)
  const enable = useTask(async (access: 'end' | 'keep') => {
    await postRequest(`/api/users/${user.id}/enable`, { access })
    showToast(t('{email} can sign in again', { email: user.email }))
    onClose()
  })
  const wrong = enable.fault ?? fault
  return (
    <Dialog title={t('Enable {email}?', { email: user.email })} onClose={onClose}>
      <p>
        {t(
          'All of this works without a sign-in of the user. Did somebody else have the password? Then end it all.',
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
              {t('Waiting messages')}: {formatNumber(value.waiting)}
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
