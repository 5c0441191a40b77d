import { type BackupStatus, describeBackupFailure, useBackupStatus } from '../../data/backups.ts'
import { describeDeviceState, useDeviceStates } from '../../data/device/device-states.ts'
import { isSimulated, nameDevice } from '../../data/device/lines.ts'
import type { Delivery, Device, Message } from '../../data/record-types.ts'
import { countKind, KINDS, type UsageDay } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useList } from '../../data/use/use-list.ts'
import { FAILED_FILTER } from '../../data/words/message-states.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Badge, MessageStatus, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import { ServerSteps } from '../../shell/server-steps.tsx'
import { describeDuration } from './duration-words.ts'
import { Jobs } from './jobs.tsx'
import { Offline } from './offline.tsx'

interface Readiness {
  readonly queue: { readonly due: number; readonly oldest_seconds: number } | null
}

interface Warning {
  readonly code: string
  readonly message: string
}

const EVERY_MS = 5_000
const DAY_EVERY_MS = 30_000
/** A tile shows how long the oldest message has waited. It turns red after this time. */
const LONG_SECONDS = 60
const DAY_MS = 86_400_000

export function Page() {
  const { value: ready, fault } = useAnswer<Readiness>('/api/ready', EVERY_MS)
  const { value: today } = useAnswer<{ days: readonly [UsageDay] }>(
    '/api/sms/usage/days?days=1',
    DAY_EVERY_MS,
  )
  const states = useDeviceStates()
  const devices = useList<Device>('devices', {
    filter: 'enabled = true',
    sort: '-last_seen',
    perPage: 500,
    expand: 'user',
  })
  const real = devices.items.filter((device) => !isSimulated(device))
  const online = real.filter(
    (device) => describeDeviceState(device, states.of(device))[0] === 'good',
  ).length
  const simulated = devices.items.length - real.length
  const failed = useDeliveries('status = "failed"')
  const retried = useDeliveries('status = "pending" && attempts > 0')
  const queue = ready?.queue
  const { value: backups } = useBackupStatus(DAY_EVERY_MS)
  const { value: warnings } = useAnswer<readonly Warning[]>('/api/warnings', DAY_EVERY_MS)
  return (
    <Frame
      title={t('Health')}
      text={
        <>
          {t('Message flow for all users.')}{' '}
          {backups && <LastBackup at={backups.lastBackup?.at ?? ''} />}
        </>
      }
    >
      {fault && (
        <Notice kind="wrong">
          {t('The server is not ready: {reason}', { reason: fault.message })}
        </Notice>
      )}
      {backups && <BackupWarnings backups={backups} />}
      {warnings?.map(({ code, message }) => (
        <Notice key={code} kind="warning">
          {message}
        </Notice>
      ))}
      <ServerSteps />
      <ul class="tiles">
        <Tile title={t('Due messages')} value={queue && formatNumber(queue.due)} />
        <Tile
          title={t('Longest wait')}
          value={queue && (queue.due > 0 ? describeDuration(queue.oldest_seconds) : '–')}
          tone={queue && queue.oldest_seconds > LONG_SECONDS ? 'bad' : 'calm'}
        />
        <Tile
          title={t('Devices online')}
          value={
            states.value &&
            !devices.loading &&
            (real.length > 0 ? t('{count} of {total}', { count: online, total: real.length }) : '0')
          }
          note={
            simulated > 0 ? t('{count} simulated, not counted', { count: simulated }) : undefined
          }
          tone={states.value && real.length > 0 && online === 0 ? 'bad' : 'calm'}
          href={makePageHref('/devices')}
        />
        <Tile
          title={t('Sent today')}
          value={today && formatNumber(countKind(today.days[0], KINDS[0]!))}
          href={makePageHref('/usage')}
        />
        <Tile
          title={t('Failed today')}
          value={today && formatNumber(today.days[0].counts.failed ?? 0)}
          tone={today?.days[0].counts.failed ? 'bad' : 'calm'}
          href={makePageHref('/messages', { filter: `${FAILED_FILTER} && created >= @todayStart` })}
        />
        <Tile
          title={t('Webhook deliveries failed in a day')}
          value={failed === undefined ? undefined : formatNumber(failed)}
          note={retried ? t('{count} being retried', { count: retried }) : undefined}
          tone={failed ? 'bad' : 'calm'}
        />
      </ul>
      <WaitingMessages />
      <Jobs />
      <Offline devices={devices} states={states} />
    </Frame>
  )
}

const LastBackup = ({ at }: { at: string }) =>
  tx('Last backup: {when}', {
    when: (
      <a href={makePageHref('/backups')}>
        {at ? <Time at={at} /> : <Badge tone="warn">{t('never')}</Badge>}
      </a>
    ),
  })

function BackupWarnings({ backups: { overdue, lastFailure } }: { backups: BackupStatus }) {
  return (
    <>
      {overdue && (
        <Notice kind="warning">
          {t('There is no recent backup.')}{' '}
          <a href={makePageHref('/backups')}>{t('Create one, or set a schedule.')}</a>
        </Notice>
      )}
      {lastFailure && (
        <Notice kind="warning">
          {tx(
            lastFailure.action === 'backup'
              ? 'The last backup failed {when}: {why}'
              : 'The last restore failed {when}: {why}',
            { when: <Time at={lastFailure.at} />, why: describeBackupFailure(lastFailure.message) },
          )}{' '}
          <a href={makePageHref('/backups')}>{t('Backups')}</a>
        </Notice>
      )}
    </>
  )
}

/** The number of webhook deliveries of the last 24 hours with this state. */
function useDeliveries(state: string): number | undefined {
  const since = new Date(
    Math.floor(Date.now() / DAY_EVERY_MS) * DAY_EVERY_MS - DAY_MS,
  ).toISOString()
  const filter = `${state} && updated >= "${since.replace('T', ' ')}"`
  const list = useList<Delivery>('webhook_deliveries', {
    filter,
    perPage: 1,
    fields: 'id',
    live: false,
  })
  return list.loading ? undefined : list.total
}

const COUNT = 10

const COLUMNS: readonly Column<Message>[] = [
  { title: t('To'), cell: (message) => <PhoneNumber number={message.to} /> },
  { title: t('User'), cell: (message) => <Owner record={message} /> },
  {
    title: t('Device'),
    minor: true,
    cell: ({ expand }) => nameDevice(expand?.device) || t('No device'),
  },
  { title: t('State'), cell: (message) => <MessageStatus message={message} /> },
  { title: t('Since'), cell: (message) => <Time at={message.created} /> },
]

function WaitingMessages() {
  const messages = useList<Message>('sms_messages', {
    filter: 'status = "assigned" || status = "sending"',
    sort: 'created',
    expand: 'user,device',
    perPage: COUNT,
  })
  return (
    <TableSection
      title={t('Waiting longest')}
      none={messages.loading ? t('Loading') : t('No message waits.')}
      columns={COLUMNS}
      rows={messages.items}
      href={(message) => makePageHref(`/messages/${message.id}`)}
    />
  )
}
