import { canNotify, notifications, startNotifications } from '../../data/notifications/browser.ts'
import { rememberForPerson } from '../../data/remember-for-person.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { runWithToast } from '../../parts/toast.tsx'

const isDeclined = rememberForPerson('notify-hint-declined', false)

/** Offers notifications above the conversations, until they are on or the person declines. */
export function NotifyHint() {
  const user = session.value?.person.id ?? ''
  const isOn = notifications.value.user === user
  if (isOn || isDeclined.value || !canNotify() || Notification.permission === 'denied') return null
  return (
    <div class="conversations-hint">
      <span>{t('Get notified of texts?')}</span>
      <Button kind="quiet" onClick={() => void runWithToast(() => startNotifications(user))}>
        {t('Notify me')}
      </Button>
      <Button
        kind="quiet"
        icon="close"
        iconOnly
        onClick={() => {
          isDeclined.value = true
        }}
      >
        {t('Do not offer this again')}
      </Button>
    </div>
  )
}
