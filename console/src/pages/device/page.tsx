import './page.css'
import type { ComponentChildren } from 'preact'
import { deviceWord, useDeviceStates } from '../../data/device/device-states.ts'
import type { Device } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useRecord } from '../../data/use/use-record.ts'
import type { PageProps } from '../../pages.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { Badge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { LastMessages } from './last-messages.tsx'
import { Remove } from './remove.tsx'
import { Settings } from './settings.tsx'
import { SimulatedPhone } from './simulated-phone.tsx'
import { TestText } from './test-text.tsx'

const PLATFORMS = {
  android: 'Android phone',
  modem: 'Modem',
  simulator: 'Simulated phone',
  other: 'Other',
  '': '–',
}

/** One device: how it is, what it did, what it may do. */
export function Page({ params: { id = '' } }: PageProps) {
  const { record: device, loading } = useRecord<Device>('devices', id, 'user')
  const states = useDeviceStates()
  if (loading) return <Loading />
  if (!device)
    return (
      <Frame title="Device">
        <Empty
          icon="devices"
          title="There is no such device"
          action={<ButtonLink href={to('/devices')}>To all devices</ButtonLink>}
        >
          It may have been deleted.
        </Empty>
      </Frame>
    )
  const state = states.of(device)
  const [tone, word] = deviceWord(device, state)
  const isMine = session.value?.role === 'user'
  return (
    <Frame title={device.name} back={{ href: to('/devices'), words: 'Devices' }}>
      <div class="columns">
        <Card title="Now" actions={<Badge tone={tone}>{word}</Badge>}>
          <dl class="device-facts">
            {!isMine && (
              <Fact name="User">
                <Owner record={device} />
              </Fact>
            )}
            <Fact name="Last seen">
              <Time at={device.last_seen} none="never" />
            </Fact>
            <Fact name="Battery">
              {state?.battery == null ? (
                '–'
              ) : (
                <>
                  {Math.round(state.battery)} %{' '}
                  <span class="muted">
                    (<Time at={state.battery_at ?? ''} />)
                  </span>
                </>
              )}
            </Fact>
            <Fact name="Messages that wait">{state?.waiting ?? '–'}</Fact>
            <Fact name="Taken in 24 hours">{state?.taken_today ?? '–'}</Fact>
            <Fact name="Kind">{PLATFORMS[device.platform]}</Fact>
            <Fact name="Number">{device.phone || '–'}</Fact>
            <Fact name="SIM cards">{simNames(device) || '–'}</Fact>
            <Fact name="Joined">
              <Time at={device.created} />
            </Fact>
          </dl>
        </Card>
        <Settings device={device} />
      </div>
      {isMine && <TestText device={device} />}
      {isMine && <SimulatedPhone device={device} />}
      <LastMessages device={device} />
      <Remove device={device} waiting={state?.waiting ?? 0} />
    </Frame>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const simNames = ({ sims }: Device) =>
  (Array.isArray(sims) ? sims : [])
    .map(({ slot, number, operator }) => [slot && `${slot}:`, operator, number].filter(Boolean).join(' '))
    .join(', ')
