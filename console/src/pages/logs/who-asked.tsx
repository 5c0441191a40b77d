import { pb } from '../../data/client.ts'
import type { Device, User } from '../../data/records.ts'
import { saveSettings, useSettings } from '../../data/settings.ts'
import { useList } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'

/** Emails of callers by the logged ids, of users and of devices' owners. */
export function useEmails(ids: readonly string[]): ReadonlyMap<string, string> {
  const known = [...new Set(ids)].filter(Boolean)
  const filter = known.map((id) => pb.filter('id = {:id}', { id })).join(' || ')
  const asked = { filter, perPage: 100, live: false, ready: known.length > 0 }
  const users = useList<User>('users', asked)
  const devices = useList<Device>('devices', { ...asked, expand: 'user' })
  return new Map([
    ...devices.items.map(({ id, expand }) => [id, expand?.user?.email ?? ''] as const),
    ...users.items.map(({ id, email }) => [id, email] as const),
  ])
}

/** Says that callers' ids are not logged, with a button that turns it on. */
export function KeepWhoAsked() {
  const { value, reload } = useSettings()
  const keep = useTask(async () => {
    await saveSettings({ logs: { logAuthId: true } })
    await reload()
  })
  if (!value || value.logs.logAuthId) return null
  return (
    <Notice kind="info">
      {t('The logs do not keep which user asked.')}{' '}
      <Button kind="quiet" busy={keep.busy} onClick={() => void keep.run()}>
        {t('Keep it from now on')}
      </Button>
      {keep.fault && <span>{keep.fault.message}</span>}
    </Notice>
  )
}
