import { useState } from 'preact/hooks'
import { describeLine } from '../../data/device/lines.ts'
import { formatMoney } from '../../data/money.ts'
import { isUser } from '../../data/session.ts'
import { formatBytes } from '../../data/text/format-bytes.ts'
import { countAllKinds, formatMonth, type Usage, type UsageDay } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useLines } from '../../data/use/use-list.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { Segments } from '../../parts/form/choices.tsx'
import { ButtonLink } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Page as Frame, Progress, Reading } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { UsagePlot } from '../../parts/usage-plot/usage-plot.tsx'
import { makePageHref } from '../../router.ts'
import './page.css'

const SPANS = [7, 30, 90].map((days) => [days, t('{count} days', { count: days })] as const)
const EVERY_MS = 30_000

export function Page() {
  const [days, setDays] = useState(30)
  const { value, fault } = useAnswer<{ days: readonly UsageDay[] }>(
    `/api/sms/usage/days?days=${days}`,
    EVERY_MS,
  )
  const isEmpty = value?.days.every((day) => countAllKinds(day) === 0)
  return (
    <Frame title={t('Usage')} text={isUser() ? undefined : t('Of all users together.')}>
      {isUser() && <Quota />}
      {isUser() && <Costs />}
      <Reading value={value} fault={fault} />
      {value && (
        <Card
          title={t('Messages by day')}
          actions={
            <Segments legend={t('How far back')} choices={SPANS} chosen={days} onChoose={setDays} />
          }
        >
          {isEmpty ? <Nothing /> : <UsagePlot days={value.days} />}
        </Card>
      )}
    </Frame>
  )
}

const Nothing = () => (
  <Empty
    icon="usage"
    title={t('No messages in this time')}
    action={
      isUser() && (
        <ButtonLink kind="primary" icon="send" needs="agent" href={makePageHref('/send')}>
          {t('Send the first one')}
        </ButtonLink>
      )
    }
  >
    {t('The figures appear after your first message.')}
  </Empty>
)

const QUOTA_EVERY_MS = 30_000

function Quota() {
  const { value } = useAnswer<Usage>('/api/sms/usage', QUOTA_EVERY_MS)
  if (!value) return null
  const { used, quota, remaining, period, resets_at, files } = value
  return (
    <Card title={formatMonth(period)}>
      {quota === 0 ? (
        <p>
          {tx(
            used === 1
              ? '{used} message this month. There is no limit.'
              : '{used} messages this month. There is no limit.',
            { used: <strong class="usage-figure">{formatNumber(used)}</strong> },
          )}
        </p>
      ) : (
        <>
          <p>
            {tx('{used} of {quota} messages this month.', {
              used: <strong class="usage-figure">{formatNumber(used)}</strong>,
              quota: formatNumber(quota),
            })}
          </p>
          <Progress
            value={used}
            max={quota}
            label={t('{count} are left', { count: remaining ?? 0 })}
          />
          <p class="muted">
            {tx('The count starts anew {when}.', { when: <Time at={resets_at} /> })}
          </p>
        </>
      )}
      <Files {...files} />
    </Card>
  )
}

const Files = ({ bytes, limit }: Usage['files']) => (
  <p class="muted">
    {limit === 0
      ? t('Files take {size}.', { size: formatBytes(bytes) })
      : t('Files take {size} of {limit}.', { size: formatBytes(bytes), limit: formatBytes(limit) })}
  </p>
)

interface Cost {
  readonly month: string
  readonly line: string
  readonly texts: number
  readonly cost: string
}
type CostRow = Cost & { readonly id: string }

/** Costs of the texts of each line with prices, by month. Nothing for accounts without prices. */
function Costs() {
  const { value } = useAnswer<{ currency: string; items: readonly Cost[] }>('/api/sms/usage/lines')
  const lines = useLines()
  if (!value || value.items.length === 0) return null
  const findName = (id: string) => {
    const line = lines.find((one) => one.id === id)
    return line ? describeLine(line) : t('A deleted line')
  }
  const columns: readonly Column<CostRow>[] = [
    { title: t('Month'), cell: (row) => formatMonth(row.month) },
    { title: t('Line'), cell: (row) => findName(row.line) },
    { title: t('Texts'), align: 'end', cell: (row) => formatNumber(row.texts) },
    { title: t('Cost'), align: 'end', cell: (row) => formatMoney(row.cost, value.currency) },
  ]
  const rows = value.items.map((item) => ({ ...item, id: `${item.month} ${item.line}` }))
  return (
    <Card title={t('Costs by line')}>
      <Table caption={t('Costs by line')} columns={columns} rows={rows} />
    </Card>
  )
}
