import { useEffect } from 'preact/hooks'
import { useBackupStatus } from '../data/backups.ts'
import type { Device, User } from '../data/record-types.ts'
import { rememberForPerson } from '../data/remember-for-person.ts'
import { useSetup } from '../data/setup.ts'
import { useList } from '../data/use/use-list.ts'
import { t, tx } from '../language/words.ts'
import { Button } from '../parts/form/form.tsx'
import { Card } from '../parts/page.tsx'
import { makePageHref } from '../router.ts'
import { Step } from './step.tsx'

const EVERY_MS = 30_000
const FIRST = { perPage: 1, isCounted: false, fields: 'id' } as const

const isDone = rememberForPerson('server-steps-done', false)

/** Steps of a new server, for superusers. Shown until all is done, or until the superuser closes it. */
export const ServerSteps = () =>
  isDone.value ? null : (
    <Steps
      onDone={() => {
        isDone.value = true
      }}
    />
  )

function Steps({ onDone }: { onDone: () => void }) {
  const users = useList<User>('users', FIRST)
  const devices = useList<Device>('devices', FIRST)
  const { value: setup } = useSetup()
  const { value: backups } = useBackupStatus(EVERY_MS)
  const isRead = !users.loading && !devices.loading && setup && backups
  const steps = [
    {
      done: users.items.length > 0,
      text: tx('{link}: superusers cannot send texts, users can.', {
        link: <a href={makePageHref('/users')}>{t('Create a user')}</a>,
      }),
    },
    {
      done: devices.items.length > 0,
      text: t('Sign in as that user, and add a phone, a modem or a carrier under Devices.'),
    },
    {
      done: setup?.sends_mail === true,
      text: tx('{link}, for forgotten passwords, invitations and alarms.', {
        link: <a href={makePageHref('/settings')}>{t('Set a mail server')}</a>,
      }),
    },
    {
      done: Boolean(backups && (backups.lastBackup || backups.next)),
      text: tx('{link}, or set a schedule.', {
        link: <a href={makePageHref('/backups')}>{t('Create a backup')}</a>,
      }),
    },
    {
      done: location.protocol === 'https:',
      text: t(
        'Put a proxy with https before the server. Without https, browsers show no notifications, and passwords can be read on the way.',
      ),
    },
  ]
  const areAllDone = isRead && steps.every(({ done }) => done)
  useEffect(() => {
    if (areAllDone) onDone()
  }, [areAllDone])
  if (!isRead || areAllDone) return null
  return (
    <Card
      title={t('First steps')}
      actions={
        <Button kind="quiet" onClick={onDone}>
          {t('Close')}
        </Button>
      }
    >
      <ol class="first-steps">
        {steps.map(({ done, text }, at) => (
          <Step key={at} done={done}>
            {text}
          </Step>
        ))}
      </ol>
    </Card>
  )
}
