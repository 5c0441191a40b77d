import { formatNumber, t } from '../../language/words.ts'
import './page.css'
import { explainCarrierFault } from '../../data/carriers/refusal-words.ts'
import { describeDeviceState, useDeviceStates } from '../../data/device/device-states.ts'
import type { Device } from '../../data/record-types.ts'
import { hasTeamRole, isUser } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { SimulatedBadge, StateBadge, Time } from '../../parts/time.tsx'
import { makePageHref, type PageProps } from '../../router.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { PairDialog } from './pair-dialog.tsx'

const OWNER: Column<Device> = { title: t('User'), cell: (device) => <Owner record={device} /> }

export function Page({ query }: PageProps) {
  const devices = useList<Device>('devices', { sort: 'name', expand: 'user' })
  const states = useDeviceStates()
  const columns: readonly Column<Device>[] = [
    {
      title: t('Name'),
      cell: (device) => (
        <span class="row">
          <u>{device.name}</u> <SimulatedBadge device={device} />
        </span>
      ),
    },
    ...(isUser() ? [] : [OWNER]),
    { title: t('State'), cell: (device) => <DeviceBadge device={device} of={states.of} /> },
    {
      title: t('Battery'),
      align: 'end',
      minor: true,
      cell: (device) => formatBattery(states.of(device)?.battery),
    },
    { title: t('Waiting'), align: 'end', cell: (device) => states.of(device)?.waiting ?? '–' },
    {
      title: t('In 24 hours'),
      minor: true,
      align: 'end',
      cell: (device) => formatTaken(device, states.of(device)?.taken_today),
    },
    { title: t('Last seen'), cell: (device) => <Time at={device.last_seen} none={t('never')} /> },
  ]
  return (
    <ListPage
      title={t('Devices')}
      text={
        isUser()
          ? t('These devices send your texts and take turns.')
          : t('The devices of all users.')
      }
      list={devices}
      columns={columns}
      href={(device) => makePageHref(`/devices/${device.id}`)}
      icon="devices"
      none={[
        t('No devices yet'),
        isUser()
          ? t(
              'Texts go out through your own phone or modem. Add one: point its camera at a picture, or type six digits.',
            )
          : t('Users add their own devices. None has one so far.'),
      ]}
      add={isUser() && t('Add a device')}
      needs="admin"
      isAdding={query.has('add') && isUser() && hasTeamRole('admin')}
      dialog={(_, close) => <PairDialog onClose={close} onJoined={() => void states.reload()} />}
    >
      {isUser() && <FirstSteps />}
    </ListPage>
  )
}

function DeviceBadge({
  device,
  of,
}: {
  device: Device
  of: ReturnType<typeof useDeviceStates>['of']
}) {
  const fault = of(device)?.carrier?.fault
  return (
    <span class="devices-state">
      <StateBadge state={describeDeviceState(device, of(device))} />
      {fault && <span class="note">{explainCarrierFault(fault).words}</span>}
    </span>
  )
}

const formatBattery = (battery: number | null | undefined) =>
  battery == null ? '–' : `${Math.round(battery)} %`

const formatTaken = (device: Device, today: number | undefined) =>
  today === undefined
    ? '–'
    : device.daily_limit > 0
      ? t('{count} of {total}', { count: today, total: device.daily_limit })
      : formatNumber(today)
