import { deviceWord, useDeviceStates } from '../../data/device/device-states.ts'
import { deviceName, isUsable, lineName } from '../../data/device/lines.ts'
import type { Fault } from '../../data/fault.ts'
import type { Device, Line } from '../../data/records.ts'
import { useLines } from '../../data/use/use-lines.ts'
import { t } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { More } from '../../parts/form/more.tsx'
import type { Composition } from './composition.ts'

const GIVE_UP = [
  ['', t('Never')],
  ['600', t('After 10 minutes')],
  ['3600', t('After an hour')],
  ['21600', t('After 6 hours')],
  ['86400', t('After a day')],
  ['259200', t('After 3 days')],
] as const

const GUARANTEES = [
  ['at_most_once', t('Do not send again')],
  ['at_least_once', t('Send again, perhaps twice')],
] as const

export function MoreFields({
  composition,
  onChange,
  fault,
  devices,
}: {
  composition: Composition
  onChange: (part: Partial<Composition>) => void
  fault: Fault | undefined
  devices: readonly Device[]
}) {
  const isWrong = ['device', 'giveUp', 'priority'].some((name) => fault?.fields[name])
  return (
    <More summary={t('More: line, priority, expiry')} isWrong={isWrong}>
      <div class="pairs">
        <LineField {...{ composition, onChange, fault, devices }} />
        <SelectField
          label={t('Give up')}
          name="giveUp"
          value={composition.giveUp}
          onValue={(giveUp) => onChange({ giveUp })}
          fault={fault}
          choices={GIVE_UP}
          hint={t('What no device has taken by then is not sent.')}
        />
        <TextField
          label={t('Priority')}
          name="priority"
          type="number"
          min={-128}
          max={127}
          value={composition.priority}
          onValue={(priority) => onChange({ priority })}
          fault={fault}
          hint={t('From -128 to 127; higher goes first.')}
        />
        <SelectField
          label={t('If the device goes silent')}
          name="guarantee"
          value={composition.guarantee}
          onValue={(guarantee) => onChange({ guarantee: guarantee as Composition['guarantee'] })}
          fault={fault}
          choices={GUARANTEES}
          hint={t('Nobody knows then whether the text went out.')}
        />
      </div>
    </More>
  )
}

function LineField({
  composition: { device, line },
  onChange,
  fault,
  devices,
}: {
  composition: Composition
  onChange: (part: Partial<Composition>) => void
  fault: Fault | undefined
  devices: readonly Device[]
}) {
  const states = useDeviceStates()
  const lines = useLines().filter(isUsable)
  const choose = (id: string) =>
    onChange(devices.some((one) => one.id === id) ? { device: id, line: '' } : { device: '', line: id })
  return (
    <SelectField
      label={t('Line')}
      name="device"
      value={line || device}
      onValue={choose}
      fault={fault}
      choices={[
        ['', t('Any line: they take turns')],
        ...devices.flatMap((one) => {
          const own = lines.filter((each) => each.device === one.id)
          return choicesOf(one, deviceWord(one, states.of(one))[1].toLowerCase(), own)
        }),
      ]}
    />
  )
}

/** The choices of a device: itself, and each line if it has several. */
function choicesOf(device: Device, state: string, lines: readonly Line[]) {
  const { id } = device
  const name = deviceName(device)
  const [only, another] = lines
  const called = only && !another && (only.label || only.number) ? `${name}: ${lineName(only)}` : name
  if (!another) return [[id, `${called} (${state})`] as const]
  return [
    [id, t('{device}, any SIM ({state})', { device: name, state })] as const,
    ...lines.map((line) => [line.id, `${name}: ${lineName(line)} (${state})`] as const),
  ]
}
