import { describeDeviceState, type useDeviceStates } from '../../data/device/device-states.ts'
import { nameDevice } from '../../data/device/lines.ts'
import type { Device } from '../../data/record-types.ts'
import type { List } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Owner } from '../../parts/owner.tsx'
import { StateBadge, Time } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'

/** Enabled devices that are out of reach or failing, with the number of their waiting messages. */
export function Offline({
  devices: { items: devices, loading },
  states,
}: {
  devices: List<Device>
  states: ReturnType<typeof useDeviceStates>
}) {
  const lost = devices.filter(
    (device) => describeDeviceState(device, states.of(device))[0] === 'bad',
  )
  const columns: readonly Column<Device>[] = [
    { title: t('Name'), cell: nameDevice },
    { title: t('User'), cell: (device) => <Owner record={device} /> },
    {
      title: t('State'),
      cell: (device) => <StateBadge state={describeDeviceState(device, states.of(device))} />,
    },
    { title: t('Last seen'), cell: (device) => <Time at={device.last_seen} none={t('never')} /> },
    { title: t('Waiting'), align: 'end', cell: (device) => states.of(device)?.waiting ?? '–' },
  ]
  const some =
    devices.length === 0
      ? t('There are no devices yet. Users add them.')
      : t('All devices can be reached, and none has failed five texts in a row.')
  const none = loading || !states.value ? t('Loading') : some
  return (
    <TableSection
      title={t('Devices out of reach or failing')}
      none={none}
      columns={columns}
      rows={lost}
      href={(device) => makePageHref(`/devices/${device.id}`)}
    />
  )
}
