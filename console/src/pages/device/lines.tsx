import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { DeviceState } from '../../data/device/device-states.ts'
import { lineName } from '../../data/device/lines.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Device, Line } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tx } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Badge, SimulatedBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toastFault } from '../../parts/toast.tsx'
import { LineDialog } from './line-dialog.tsx'
import { LineMeters } from './line-meters.tsx'

/** Maximum lines of a device, including former SIMs. */
const MOST_LINES = 100

/** The SIMs of a device, and each one's use of its limits. */
export function Lines({ device, state }: { device: Device; state: DeviceState | undefined }) {
  const filter = pb.filter('device = {:id}', { id: device.id })
  const { items, fault, reload } = useList<Line>('lines', { filter, sort: 'slot', perPage: MOST_LINES })
  const [edited, setEdited] = useState<Line>()
  const close = () => {
    setEdited(undefined)
    void reload()
  }
  const remove = async (line: Line) => {
    const isSure = await confirmed({
      title: t('Delete {name}?', { name: lineName(line) }),
      text: t('The SIM is not in the device. Texts that name this line fail, others stay as they are.'),
      action: t('Delete the line'),
      danger: true,
    })
    if (!isSure) return
    await pb.collection('lines').delete(line.id).catch(toastFault)
    void reload()
  }
  return (
    <Card title={t('Lines')}>
      <p class="muted">
        {t('A line is a SIM. Texts take turns over all lines that are on and have room within their limits.')}
      </p>
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      <ul class="device-lines">
        {items.map((line) => (
          <li key={line.id}>
            <div class="row">
              <h3>{lineName(line)}</h3>
              <LineBadge line={line} /> <SimulatedBadge device={device} />
              <Button kind="quiet" icon="edit" iconOnly needs="admin" onClick={() => setEdited(line)}>
                {t('Change {name}', { name: lineName(line) })}
              </Button>
              {!line.present && (
                <Button kind="quiet" icon="trash" iconOnly needs="admin" onClick={() => void remove(line)}>
                  {t('Delete {name}', { name: lineName(line) })}
                </Button>
              )}
            </div>
            <LineFacts line={line} />
            {line.enabled && line.failing_since && (
              <Notice kind="warning">
                {tx(
                  'At least 5 texts in a row failed, since {when}. Others send instead, if there are any.',
                  {
                    when: <Time at={line.failing_since} />,
                  },
                )}
              </Notice>
            )}
            <LineMeters line={line} use={state?.lines.find((use) => use.line === line.id)} />
          </li>
        ))}
      </ul>
      {edited && <LineDialog line={edited} onClose={close} />}
    </Card>
  )
}

function LineBadge({ line: { enabled, present, failing_since } }: { line: Line }) {
  if (!present) return <Badge tone="bad">{t('Not in the device')}</Badge>
  if (enabled && failing_since) return <Badge tone="bad">{t('Failing')}</Badge>
  return enabled ? <Badge tone="good">{t('On')}</Badge> : <Badge tone="calm">{t('Off')}</Badge>
}

/** What identifies the SIM, and its prefixes. */
function LineFacts({ line }: { line: Line }) {
  const { slot, number, carrier, prefixes } = line
  const facts = [
    number && formatPhone(number) !== lineName(line) && <PhoneNumber number={number} />,
    slot > 0 && t('SIM {slot}', { slot }),
    carrier,
    prefixes && t('for numbers with {prefixes}', { prefixes: prefixes.replaceAll(',', ', ') }),
  ].filter((fact) => fact)
  return (
    <p class="device-line-facts muted">
      {facts.map((fact, at) => (
        <span key={at}>{fact}</span>
      ))}
    </p>
  )
}
