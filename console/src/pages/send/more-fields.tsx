import type { Choices } from '../../data/choices.ts'
import { describeDeviceState, useDeviceStates } from '../../data/device/device-states.ts'
import { isLineUsable, nameDevice, nameLine } from '../../data/device/lines.ts'
import type { Fault } from '../../data/fault.ts'
import type { Device, Line } from '../../data/record-types.ts'
import { useLines } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { Rows } from '../../parts/rows/rows.tsx'
import type { Values } from '../../parts/rows/values.ts'
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
  composition: { device, line, giveUp, priority, guarantee },
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
  const lines = useLines().filter(isLineUsable)
  const choices = devices.flatMap((one) => {
    const own = lines.filter((each) => each.device === one.id)
    return makeChoices(one, describeDeviceState(one, states.of(one))[1].toLowerCase(), own)
  })
  const change = ({ device: chosen, ...part }: Values) => {
    const isDevice = devices.some(({ id }) => id === chosen)
    const way = isDevice ? { device: chosen, line: '' } : { device: '', line: chosen }
    onChange({ ...part, ...(chosen !== undefined && way) } as Partial<Composition>)
  }
  const values = { device: line || device, giveUp, priority, guarantee }
  return <Rows rows={makeMoreRows(choices)} form={{ values, change, fault, isTried: false }} />
}

const makeMoreRows = (choices: Choices): readonly FormRow[] => [
  {
    summary: t('More: line, priority, expiry'),
    folded: [
      [
        {
          name: 'device',
          label: t('Line'),
          kind: 'select',
          choices: [['', t('Any line: they take turns')], ...choices],
        },
        {
          name: 'giveUp',
          label: t('Expires'),
          kind: 'select',
          choices: GIVE_UP,
          hint: t('A text that no device has taken by then is not sent.'),
        },
        {
          name: 'priority',
          label: t('Priority'),
          kind: 'number',
          min: -128,
          max: 127,
          hint: t('From -128 to 127; higher goes first.'),
        },
        {
          name: 'guarantee',
          label: t('If the device goes silent'),
          kind: 'select',
          choices: GUARANTEES,
          hint: t('Nobody knows then whether the text went out.'),
        },
      ],
    ],
  },
]

/** The choices of a device: itself, and each line if it has several. */
function makeChoices(device: Device, state: string, lines: readonly Line[]) {
  const { id } = device
  const name = nameDevice(device)
  const [only, another] = lines
  const called =
    only && !another && (only.label || only.number) ? `${name} · ${nameLine(only)}` : name
  if (!another) return [[id, `${called} (${state})`] as const]
  return [
    [id, t('{device}, any SIM ({state})', { device: name, state })] as const,
    ...lines.map((line) => [line.id, `${name} · ${nameLine(line)} (${state})`] as const),
  ]
}
