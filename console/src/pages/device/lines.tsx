import { useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import type { DeviceState, LineUse } from '../../data/device/device-states.ts'
import { nameLine } from '../../data/device/lines.ts'
import { formatMoney } from '../../data/money.ts'
import type { Device, Line } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { ownSettings } from '../../data/user-settings/own.ts'
import { t, tx } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/dialog.tsx'
import { Button, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { Card, Progress } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Badge, OnOffBadge, SimulatedBadge, Time } from '../../parts/time.tsx'
import { LineDialog } from './line-dialog.tsx'
import { LineHealth } from './line-health.tsx'

const MOST_LINES = 100

export function Lines({ device, state }: { device: Device; state: DeviceState | undefined }) {
  const filter = pb.filter('device = {:id}', { id: device.id })
  const { items, fault, reload } = useList<Line>('lines', {
    filter,
    sort: 'slot',
    perPage: MOST_LINES,
  })
  const [edited, setEdited] = useState<Line>()
  const use = ({ id }: Line) => state?.lines.find(({ line }) => line === id)
  const close = () => {
    setEdited(undefined)
    void reload()
  }
  const remove = (line: Line) =>
    deleteRecord(
      line,
      {
        title: t('Delete {name}?', { name: nameLine(line) }),
        text: t(
          'The SIM is not in the device. Texts for which this line was chosen fail, others stay as they are.',
        ),
        action: t('Delete the line'),
      },
      '',
      () => void reload(),
    )
  return (
    <Card title={t('Lines')}>
      <p class="muted">
        {t(
          'A line is a SIM. Texts take turns over all lines that are on and have room within their limits.',
        )}
      </p>
      <FaultNotice fault={fault} />
      <ul class="device-lines">
        {items.map((line) => (
          <li key={line.id}>
            <div class="device-line-head">
              <div class="row">
                <h3>{nameLine(line)}</h3>
                <LineBadge line={line} isRefused={Boolean(state?.carrier?.fault)} />
                <SimulatedBadge device={device} />
              </div>
              <Button
                kind="quiet"
                icon="edit"
                iconOnly
                needs="admin"
                onClick={() => setEdited(line)}
              >
                {t('Change {name}', { name: nameLine(line) })}
              </Button>
              {!line.present && (
                <Button
                  kind="quiet"
                  icon="trash"
                  iconOnly
                  needs="admin"
                  onClick={() => void remove(line)}
                >
                  {t('Delete {name}', { name: nameLine(line) })}
                </Button>
              )}
            </div>
            <LineFacts line={line} />
            <LineHealth line={line} use={use(line)} />
            {line.enabled && line.failing_since && (
              <Notice kind="warning">
                {tx(
                  'At least 5 texts in a row failed, since {when}. Other lines send instead, if there are any.',
                  {
                    when: <Time at={line.failing_since} />,
                  },
                )}
              </Notice>
            )}
            <LineMeters line={line} use={use(line)} />
            <LineCost line={line} use={use(line)} />
          </li>
        ))}
      </ul>
      {edited && <LineDialog line={edited} onClose={close} />}
    </Card>
  )
}

function LineBadge({
  line: { enabled, present, failing_since },
  isRefused,
}: {
  line: Line
  isRefused: boolean
}) {
  if (!present) return <Badge tone="bad">{t('Not in the device')}</Badge>
  if (enabled && isRefused) return <Badge tone="bad">{t('Paused')}</Badge>
  if (enabled && failing_since) return <Badge tone="bad">{t('Failing')}</Badge>
  return <OnOffBadge isOn={enabled} />
}

function LineFacts({ line }: { line: Line }) {
  const { slot, number, carrier, prefixes } = line
  const facts = [
    number && formatPhone(number) !== nameLine(line) && <PhoneNumber number={number} />,
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

type Limit = 'per_minute' | 'daily_limit' | 'monthly_limit' | 'monthly_recipients'

const METERS: readonly (readonly [
  Limit,
  keyof LineUse,
  (used: Record<'count' | 'total', number>) => string,
])[] = [
  ['per_minute', 'minute', (used) => t('{count} of {total} texts in the last minute', used)],
  ['daily_limit', 'day', (used) => t('{count} of {total} texts today', used)],
  ['monthly_limit', 'month', (used) => t('{count} of {total} texts this month', used)],
  [
    'monthly_recipients',
    'recipients',
    (used) => t('{count} of {total} different numbers this month', used),
  ],
]

/** A meter warns when this fraction of its limit, such as texts a day, or of the budget is used. */
const NEAR = 0.8

function LineMeters({ line, use }: { line: Line; use: LineUse | undefined }) {
  const shown = METERS.filter(([limit]) => line[limit] > 0)
  if (shown.length === 0) return <p class="muted">{t('No limits')}</p>
  return (
    <div class="device-meters">
      {shown.map(([limit, count, words]) => {
        const [used, total] = [Number(use?.[count] ?? 0), line[limit]]
        return (
          <Progress
            key={limit}
            value={Math.min(used, total)}
            max={total}
            label={words({ count: used, total }) + describeUse(used, total)}
            tone={used >= total ? 'bad' : used >= total * NEAR ? 'warn' : ''}
          />
        )
      })}
    </div>
  )
}

function describeUse(used: number, total: number): string {
  if (used >= total) return `: ${t('full')}`
  return used >= total * NEAR ? `: ${t('nearly full')}` : ''
}

/** The cost of a line's texts in this month, and its share of the budget. */
function LineCost({
  line: { monthly_budget: budget },
  use,
}: {
  line: Line
  use: LineUse | undefined
}) {
  if (use?.cost == null) return null
  const currency = ownSettings.value?.currency ?? ''
  const cost = formatMoney(use.cost, currency)
  if (budget === '') return <p class="muted">{t('{cost} this month', { cost })}</p>
  const [used, total] = [Number(use.cost), Number(budget)]
  return (
    <>
      <Progress
        value={Math.min(used, total)}
        max={total}
        label={t('{cost} of {budget} this month', { cost, budget: formatMoney(budget, currency) })}
        tone={use.stopped ? 'bad' : used >= total * NEAR ? 'warn' : ''}
      />
      {use.stopped && (
        <Notice kind="warning">
          {t(
            'The budget was too small for a text. Raise it, or the text waits for another line or the next month.',
          )}
        </Notice>
      )}
    </>
  )
}
