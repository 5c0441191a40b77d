import { allOf, countOf, KINDS, type UsageDay } from '../../data/usage.ts'
import { formatNumber, t } from '../../language/words.ts'
import { type Column, Table } from '../../parts/list/table.tsx'

type Row = UsageDay & { readonly id: string }

const COLUMNS: readonly Column<Row>[] = [
  { title: t('Day'), cell: ({ day }) => day },
  ...KINDS.map(
    (kind): Column<Row> => ({
      title: kind.words,
      align: 'end',
      cell: (day) => formatNumber(countOf(day, kind)),
    }),
  ),
]

/** The plot's figures as a table: days with messages, newest first. */
export const DayTable = ({ days }: { days: readonly UsageDay[] }) => {
  const rows = days.filter((day) => allOf(day) > 0).map((day) => ({ ...day, id: day.day }))
  return (
    <details class="usage-table">
      <summary>{t('As a table')}</summary>
      <Table caption={t('Messages by day')} columns={COLUMNS} rows={rows.reverse()} />
    </details>
  )
}
