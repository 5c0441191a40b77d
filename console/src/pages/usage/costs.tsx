import { lineWords } from '../../data/device/lines.ts'
import { formatMoney } from '../../data/money.ts'
import { formatMonth } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useLines } from '../../data/use/use-lines.ts'
import { formatNumber, t } from '../../language/words.ts'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'

interface Cost {
  readonly month: string
  readonly line: string
  readonly texts: number
  readonly cost: string
}
type Row = Cost & { readonly id: string }

/** What the texts of each line with prices cost, by month. Nothing for accounts without prices. */
export function Costs() {
  const { value } = useAnswer<{ currency: string; items: readonly Cost[] }>('/api/sms/usage/lines')
  const lines = useLines()
  if (!value || value.items.length === 0) return null
  const findName = (id: string) => {
    const line = lines.find((one) => one.id === id)
    return line ? lineWords(line) : t('A deleted line')
  }
  const columns: readonly Column<Row>[] = [
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
