import {
  canNotify,
  notifications,
  startNotifications,
  stopInAllBrowsers,
  stopNotifications,
} from '../../data/notifications/browser.ts'
import { hasTeamRole, type Session } from '../../data/session.ts'
import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { savePersonalChoices, usePersonalChoices } from '../../data/team/personal-choices.ts'
import { HERE } from '../../data/time-zones.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t, tn } from '../../language/words.ts'
import { runConfirmed } from '../../parts/dialog/dialog.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { Button, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { Card, Loading } from '../../parts/page.tsx'
import { makeHoursRows } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { runWithToast } from '../../parts/toast.tsx'

interface Browser {
  readonly endpoint: string
}

export function Notifications({ session }: { session: Session }) {
  const user = session.person.id
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
      <SoundAndHours session={session} />
      {hasTeamRole('admin') && <ReplyMail />}
    </Card>
  )
}

const HOURS = makeHoursRows(
  { from: 'notify_from', to: 'notify_to' },
  { from: t('Notify me from'), to: t('Notify me until') },
)

/** Applies to all browsers of the person. */
function SoundAndHours({ session }: { session: Session }) {
  const {
    notify_silent = false,
    notify_from = '',
    notify_to = '',
    notify_zone = '',
  } = usePersonalChoices(session) ?? {}
  const saveSound = (hasSound: boolean) =>
    runWithToast(() => savePersonalChoices(session, { notify_silent: !hasSound }), t('Saved'))
  const saveHours = async (hours: object) => {
    await savePersonalChoices(session, { ...hours, notify_zone: HERE })
    return t('Saved')
  }
  return (
    <>
      <CheckField
        label={t('Notifications with sound')}
        name="notify_sound"
        value={!notify_silent}
        onValue={(hasSound) => void saveSound(hasSound)}
      />
      <RowsForm
        draftKey="notify-hours"
        action={t('Save the hours')}
        rows={HOURS}
        stored={{ notify_from, notify_to }}
        save={saveHours}
        asks
      />
      <p class="note">
        {t(
          'Sound and hours apply to all your browsers. The hours are in the time zone {zone}; empty: at all times. At other times nothing notifies you, but unread texts are counted.',
          { zone: notify_zone || HERE },
        )}
      </p>
    </>
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
