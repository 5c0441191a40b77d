import { useRef } from 'preact/hooks'
import { countAllKinds, countKind, KINDS, type UsageDay } from '../../data/usage.ts'
import { formatNumber, t } from '../../language/words.ts'
import { type Column, Table } from '../list/table.tsx'
import { Plot } from './plot.tsx'

/** Messages by day: their sums, a bar for each day, and the same as a table. */
export function UsagePlot({ days }: { days: readonly UsageDay[] }) {
  const sums = useRef<HTMLUListElement>(null)
  const readColors = () =>
    Array.from(
      sums.current?.querySelectorAll('.usage-mark') ?? [],
      (mark) => getComputedStyle(mark).color,
    )
  return (
    <>
      <ul class="usage-sums" ref={sums}>
        {KINDS.map((kind) => (
          <li key={kind.id}>
            <span class={`usage-mark usage-${kind.id}`} />
            <strong>
              {formatNumber(days.reduce((sum, day) => sum + countKind(day, kind), 0))}
            </strong>{' '}
            {kind.words}
          </li>
        ))}
      </ul>
      <Plot days={days} readColors={readColors} />
      <DayTable days={days} />
    </>
  )
}

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
  const rows = days.filter((day) => countAllKinds(day) > 0).map((day) => ({ ...day, id: day.day }))
  return (
    <details class="usage-table">
      <summary>{t('As a table')}</summary>
      <Table caption={t('Messages by day')} columns={COLUMNS} rows={rows.reverse()} />
    </details>
  )
}
