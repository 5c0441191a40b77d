import { deviceWord, useDeviceStates } from '../../data/device/device-states.ts'
import type { Fault } from '../../data/fault.ts'
import type { Device, Sim } from '../../data/records.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import type { Composition } from './composition.ts'

const GIVE_UP = [
  ['', 'Never'],
  ['600', 'After 10 minutes'],
  ['3600', 'After an hour'],
  ['21600', 'After 6 hours'],
  ['86400', 'After a day'],
  ['259200', 'After 3 days'],
] as const

const GUARANTEES = [
  ['at_most_once', 'Do not send again'],
  ['at_least_once', 'Send again, perhaps twice'],
] as const

/** What most texts need not say: which device, until when, how urgent, how sure. */
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
  const states = useDeviceStates()
  const chosen = devices.find(({ id }) => id === composition.device)
  const sims = (chosen?.sims ?? []).filter(({ slot = 0 }) => slot > 0)
  const isOpen = ['device', 'sim', 'giveUp', 'priority'].some((name) => fault?.fields[name])
  return (
    <details class="send-more" open={isOpen || undefined}>
      <summary>More: device, priority, expiry</summary>
      <div class="send-pairs">
        <SelectField
          label="Device"
          name="device"
          value={composition.device}
          onValue={(device) => onChange({ device, sim: '0' })}
          fault={fault}
          choices={[
            ['', 'Any: they take turns'],
            ...devices.map(
              (device) =>
                [
                  device.id,
                  `${device.name} (${deviceWord(device, states.of(device))[1].toLowerCase()})`,
                ] as const,
            ),
          ]}
        />
        {sims.length > 1 && (
          <SelectField
            label="SIM"
            name="sim"
            value={composition.sim}
            onValue={(sim) => onChange({ sim })}
            fault={fault}
            choices={[
              ['0', 'As the device chooses'],
              ...sims.map((sim) => [String(sim.slot), simWords(sim)] as const),
            ]}
          />
        )}
        <SelectField
          label="Give up"
          name="giveUp"
          value={composition.giveUp}
          onValue={(giveUp) => onChange({ giveUp })}
          fault={fault}
          choices={GIVE_UP}
          hint="What no device has taken by then is not sent."
        />
        <TextField
          label="Priority"
          name="priority"
          type="number"
          min={-128}
          max={127}
          value={composition.priority}
          onValue={(priority) => onChange({ priority })}
          fault={fault}
          hint="From -128 to 127; higher goes first."
        />
        <SelectField
          label="If the device goes silent"
          name="guarantee"
          value={composition.guarantee}
          onValue={(guarantee) => onChange({ guarantee: guarantee as Composition['guarantee'] })}
          fault={fault}
          choices={GUARANTEES}
          hint="Nobody knows then whether the text went out."
        />
      </div>
    </details>
  )
}

const simWords = ({ slot, operator, number }: Sim) =>
  [`Slot ${slot}`, operator, number].filter((part) => part).join(', ')
