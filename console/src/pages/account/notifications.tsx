import {
  canNotify,
  notifications,
  startNotifications,
  stopInAllBrowsers,
  stopNotifications,
} from '../../data/notifications/browser.ts'
import { hasTeamRole } from '../../data/session.ts'
import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t, tn } from '../../language/words.ts'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { Button, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { Card, Loading } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

interface Browser {
  readonly endpoint: string
}

export function Notifications({ user }: { user: string }) {
  const { value, fault, reload } = useAnswer<{ items: readonly Browser[] }>('/api/account/push')
  const { user: chosen, endpoint } = notifications.value
  const isOn = chosen === user
  const others = value?.items.filter((browser) => browser.endpoint !== endpoint).length ?? 0
  const turn = useTask(async (on: boolean) => {
    if (on) await startNotifications(user)
    else stopNotifications()
    await reload()
  })
  const stopAll = () =>
    runConfirmed(
      {
        title: t('Stop all notifications?'),
        text: t('No browser shows texts of yours any more until you turn it on there again.'),
        action: t('Stop for all'),
      },
      () => stopInAllBrowsers().finally(reload),
      t('No browser notifies you now'),
    )
  return (
    <Card title={t('Notifications')}>
      <FaultNotice fault={fault} />
      <FaultNotice fault={turn.fault} />
      <CheckField
        label={t('Notify me of texts in this browser')}
        name="notifications"
        value={isOn}
        disabled={turn.busy || !canNotify()}
        onValue={(on) => void turn.run(on)}
      />
      <p class="note">{describeState(isOn, endpoint)}</p>
      {others > 0 && (
        <div class="row">
          <span>
            {tn('Another browser notifies you.', '{count} other browsers notify you.', others)}
          </span>
          <Button onClick={() => void stopAll()}>{t('Stop for all')}</Button>
        </div>
      )}
      {hasTeamRole('admin') && <ReplyMail />}
    </Card>
  )
}

function describeState(isOn: boolean, endpoint: string): string {
  if (!canNotify()) return t('Browsers show notifications only of pages with https.')
  if (!isOn)
    return t('A notification shows who wrote and how the text begins, also on a locked screen.')
  if (endpoint === '')
    return t(
      'This browser has no push service: you are notified while the console is open in a tab.',
    )
  return t('You are notified even when the console is not open.')
}

const ROWS: readonly FormRow[] = [
  {
    name: 'reply_mail_minutes',
    kind: 'number',
    min: 0,
    label: t('Mail me about texts without an answer after (minutes)'),
    hint: t(
      '0: no mail. Your address must be confirmed. The mail names who waits, without the texts.',
    ),
  },
]

async function saveNotifications(changes: object): Promise<string> {
  await saveOwnSettings(changes)
  return t('Saved')
}

function ReplyMail() {
  const { value: setup } = useSetup()
  if (ownSettings.value === undefined) return <Loading />
  if (setup?.sends_mail === false) return <Notice kind="warning">{NO_MAIL}</Notice>
  const stored = ownSettings.value ?? { reply_mail_minutes: 0 }
  return (
    <RowsForm draftKey="reply-mail" rows={ROWS} stored={stored} save={saveNotifications} asks />
  )
}
