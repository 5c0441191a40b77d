import { useState } from 'preact/hooks'
import { isUser } from '../../data/session.ts'
import { countAll, countKind, KINDS, type UsageDay } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Segments } from '../../parts/form/choices.tsx'
import { ButtonLink } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Page as Frame, Reading } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import './page.css'
import { Costs } from './costs.tsx'
import { Plot } from './plot.tsx'
import { Quota } from './quota.tsx'

const SPANS = [7, 30, 90].map((days) => [days, t('{count} days', { count: days })] as const)
const EVERY_MS = 30_000

export function Page() {
  const [days, setDays] = useState(30)
  const { value, fault } = useAnswer<{ days: readonly UsageDay[] }>(
    `/api/sms/usage/days?days=${days}`,
    EVERY_MS,
  )
  const sums = KINDS.map((kind) => (value?.days ?? []).reduce((sum, day) => sum + countKind(day, kind), 0))
  const isEmpty = value !== undefined && sums.every((sum) => sum === 0)
  return (
    <Frame title={t('Usage')} text={isUser() ? undefined : t('Of all users together.')}>
      {isUser() && <Quota />}
      {isUser() && <Costs />}
      <Reading value={value} fault={fault} />
      {value && (
        <Card
          title={t('Messages by day')}
          actions={<Segments legend={t('How far back')} choices={SPANS} chosen={days} onChoose={setDays} />}
        >
          {isEmpty ? (
            <Nothing />
          ) : (
            <>
              <ul class="usage-sums">
                {KINDS.map((kind, at) => (
                  <li key={kind.id} class={`usage-${kind.id}`}>
                    <strong>{formatNumber(sums[at]!)}</strong> {kind.words}
                  </li>
                ))}
              </ul>
              <Plot days={value.days} />
              <DayTable days={value.days} />
            </>
          )}
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
        <ButtonLink kind="primary" icon="send" needs="agent" href={to('/send')}>
          {t('Send the first one')}
        </ButtonLink>
      )
    }
  >
    {t('The figures appear after your first message.')}
  </Empty>
)

type Row = UsageDay & { readonly id: string }

const COLUMNS: readonly Column<Row>[] = [
  { title: t('Day'), cell: ({ day }) => day },
  ...KINDS.map(
    (kind): Column<Row> => ({
      title: kind.words,
      align: 'end',
      cell: (day) => formatNumber(countKind(day, kind)),
    }),
  ),
]

const DayTable = ({ days }: { days: readonly UsageDay[] }) => {
  const rows = days.filter((day) => countAll(day) > 0).map((day) => ({ ...day, id: day.day }))
  return (
    <details class="usage-table">
      <summary>{t('As a table')}</summary>
      <Table caption={t('Messages by day')} columns={COLUMNS} rows={rows.reverse()} />
    </details>
  )
}
