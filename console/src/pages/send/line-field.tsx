import { deviceWord, useDeviceStates } from '../../data/device/device-states.ts'
import { isUsable, lineName } from '../../data/device/lines.ts'
import { deviceName } from '../../data/device/simulated.ts'
import type { Fault } from '../../data/fault.ts'
import type { Device, Line } from '../../data/records.ts'
import { useLines } from '../../data/use/use-lines.ts'
import { t } from '../../language/words.ts'
import { SelectField } from '../../parts/form/field.tsx'
import type { Composition } from './composition.ts'

/** Chooses what sends: any line, a device, or one line. */
export function LineField({
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
