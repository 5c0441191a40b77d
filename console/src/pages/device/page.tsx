import { t } from '../../language/words.ts'
import './page.css'
import {
  CONNECTIONS,
  type DeviceState,
  deviceWord,
  useDeviceStates,
} from '../../data/device/device-states.ts'
import { isSimulated } from '../../data/device/simulated.ts'
import type { Device } from '../../data/records.ts'
import { may, session } from '../../data/session.ts'
import { useRecord } from '../../data/use/use-record.ts'
import type { PageProps } from '../../pages.ts'
import { Facts } from '../../parts/facts.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { LastMessages } from './last-messages.tsx'
import { Lines } from './lines.tsx'
import { Remove } from './remove.tsx'
import { Settings } from './settings.tsx'
import { SimulatedPhone } from './simulated-phone.tsx'
import { TestText } from './test-text.tsx'

const PLATFORMS = {
  android: t('Android phone'),
  modem: t('Modem'),
  simulator: t('Simulated phone'),
  other: t('Other'),
  '': '–',
}

/** One device: state, last messages and settings. */
export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Device>('devices', id, 'user')
  const { record: device } = read
  const states = useDeviceStates()
  if (!device)
    return (
      <Missing
        {...{ read, icon: 'devices', title: t('Device'), gone: t('There is no such device') }}
        all={[to('/devices'), t('To all devices')]}
      />
    )
  const state = states.of(device)
  const [tone, word] = deviceWord(device, state)
  const isMine = session.value?.role === 'user'
  return (
    <Frame title={device.name} back={{ href: to('/devices'), words: t('Devices') }}>
      {isSimulated(device) && (
        <Notice kind="warning">
          {t(
            'A simulated phone sends nothing anywhere and says that everything arrived. Once you have a real device, it gets only texts that name it.',
          )}
        </Notice>
      )}
      <div class="columns">
        <Card title={t('Now')} actions={<Badge tone={tone}>{word}</Badge>}>
          <Facts
            facts={[
              !isMine && [t('User'), <Owner record={device} />],
              [t('Last seen'), <Time at={device.last_seen} none={t('never')} />],
              [t('Battery'), state?.battery == null ? '–' : <Battery state={state} />],
              [t('Connection'), state?.connection == null ? '–' : CONNECTIONS[state.connection]],
              [t('Messages that wait'), state?.waiting ?? '–'],
              [t('Taken in 24 hours'), state?.taken_today ?? '–'],
              [t('Kind'), PLATFORMS[device.platform]],
              [t('Number'), device.phone || '–'],
              [t('Joined'), <Time at={device.created} />],
            ]}
          />
        </Card>
        {may('admin') && <Settings device={device} />}
      </div>
      <Lines device={device} state={state} />
      {isMine && may('agent') && <TestText device={device} />}
      {isMine && <SimulatedPhone device={device} />}
      <LastMessages device={device} />
      {may('admin') && <Remove device={device} waiting={state?.waiting ?? 0} />}
    </Frame>
  )
}

const Battery = ({ state: { battery, battery_at, charging } }: { state: DeviceState }) => (
  <>
    {Math.round(battery ?? 0)} %{charging && <>, {t('charging')}</>}{' '}
    <span class="muted">
      (<Time at={battery_at ?? ''} />)
    </span>
  </>
)
