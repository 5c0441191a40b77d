import { findCarrierWords } from '../../data/carriers/carrier-words.ts'
import {
  CONNECTIONS,
  type DeviceState,
  describeDeviceState,
  hasLateCodes,
  useDeviceStates,
} from '../../data/device/device-states.ts'
import { isSimulated } from '../../data/device/lines.ts'
import type { Device } from '../../data/record-types.ts'
import { hasTeamRole, isUser } from '../../data/session.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { t } from '../../language/words.ts'
import { CarrierFault, UntestedCarrier } from '../../parts/carrier-fault.tsx'
import { ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { makeAddressesRow } from '../../parts/rows/common-rows.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { TestText } from '../../parts/test-text.tsx'
import { StateBadge, Time } from '../../parts/time.tsx'
import { makePageHref, type PageProps } from '../../router.ts'
import { Lines } from './lines.tsx'
import { SimulatedPhone } from './simulated-phone.tsx'
import './page.css'
import { LastMessages } from './last-messages.tsx'
import { RemoveDevice } from './remove-device.tsx'

export function Page({ params: { id = '' }, query }: PageProps) {
  const read = useRecord<Device>('devices', id, 'user')
  const { record: device } = read
  const states = useDeviceStates()
  if (!device)
    return (
      <Missing
        read={read}
        icon="devices"
        title={t('Device')}
        gone={t('There is no such device')}
        all={[makePageHref('/devices'), t('All devices')]}
      />
    )
  const state = states.of(device)
  const carrier = state?.carrier ?? false
  const isMine = isUser()
  return (
    <Frame
      title={device.name}
      back={{ href: makePageHref('/devices'), words: t('Devices') }}
      actions={
        carrier &&
        isMine && (
          <ButtonLink needs="owner" icon="edit" href={makePageHref(`/devices/${id}/carrier`)}>
            {t('Account of the carrier')}
          </ButtonLink>
        )
      }
    >
      {state?.carrier?.fault && <CarrierFault fault={state.carrier.fault} />}
      {carrier && !carrier.ready && (
        <UntestedCarrier>
          <ButtonLink needs="owner" href={makePageHref(`/devices/${id}/carrier`, { added: '1' })}>
            {t('Test the carrier')}
          </ButtonLink>
        </UntestedCarrier>
      )}
      {isSimulated(device) && (
        <Notice kind="warning">
          {t(
            'A simulated phone sends no real texts, and reports all of them as delivered. Once you have a real device, a simulated phone sends only the texts for which you choose this phone.',
          )}
        </Notice>
      )}
      {hasLateCodes(state) && (
        <Notice kind="warning">
          {t(
            'Since Android 17, apps that are not the default for SMS get texts with codes three hours late. Receive codes by a modem or a managed phone.',
          )}
        </Notice>
      )}
      <div class="columns">
        <Card title={t('Now')} actions={<StateBadge state={describeDeviceState(device, state)} />}>
          <Facts
            facts={[
              !isMine && [t('User'), <Owner record={device} />],
              [t('Last seen'), <Time at={device.last_seen} none={t('never')} />],
              !carrier && [t('Battery'), state?.battery == null ? '–' : <Battery state={state} />],
              !carrier && [
                t('Connection'),
                state?.connection == null ? '–' : CONNECTIONS[state.connection],
              ],
              [t('Waiting messages'), state?.waiting ?? '–'],
              [t('Outgoing messages in 24 hours'), state?.taken_today ?? '–'],
              [t('Kind'), carrier ? t('Account of a carrier') : PLATFORMS[device.platform]],
              carrier && [t('Carrier'), findCarrierWords(carrier.preset).name],
              carrier && [t('Run by a server'), carrier.running ? t('Yes') : t('No')],
              !carrier && [t('Number'), device.phone ? <PhoneNumber number={device.phone} /> : '–'],
              [t('Joined'), <Time at={device.created} />],
            ]}
          />
        </Card>
        {hasTeamRole('admin') && <Settings device={device} rows={carrier ? ROWS : OWN_ROWS} />}
      </div>
      <Lines device={device} state={state} />
      {isMine && hasTeamRole('agent') && (
        <TestText device={device.id} isAsked={query.has('test')} />
      )}
      {isMine && <SimulatedPhone device={device} />}
      <LastMessages device={device} />
      {hasTeamRole('admin') && <RemoveDevice device={device} waiting={state?.waiting ?? 0} />}
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

const ROWS: readonly FormRow[] = [
  { name: 'name', label: t('Name') },
  [
    { name: 'daily_limit', label: t('Messages a day'), placeholder: t('No limit') },
    { name: 'per_minute', label: t('Messages a minute'), placeholder: t('No limit') },
  ],
  {
    name: 'enabled',
    label: t('Use this device'),
    hint: t(
      'The waiting messages of a device that is off go to other devices, but not those for which this device was chosen.',
    ),
  },
]

/** A carrier in the server has no address of its own. */
const OWN_ROWS: readonly FormRow[] = [...ROWS, makeAddressesRow(t('May be used only from'))]

const Settings = ({ device, rows }: { device: Device; rows: readonly FormRow[] }) => (
  <Card title={t('Settings')}>
    <RecordForm collection="devices" record={device} rows={rows} saved={t('Device saved')} asks />
  </Card>
)

/** Kinds of devices, by their `platform`. */
const PLATFORMS = {
  android: t('Android phone'),
  modem: t('Modem'),
  simulator: t('Simulated phone'),
  carrier: t('Carrier'),
  other: t('Other'),
  '': '–',
}
