import type { Sheet } from '../../data/files/sheet.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import type { Usage } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t, tn } from '../../language/words.ts'
import { BadRows } from '../../parts/bad-rows.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ListCost } from './list-cost.tsx'
import type { ListPlan } from './list-rows.ts'

const SHOWN = 5

export function ListPreview({
  sheet,
  plan,
  hasText,
}: {
  sheet: Sheet
  plan: ListPlan
  hasText: boolean
}) {
  const { value: usage } = useAnswer<Usage>('/api/sms/usage')
  const { good, bad, segments } = plan
  const left = usage?.remaining ?? Number.POSITIVE_INFINITY
  return (
    <Card title={t('As they will arrive')}>
      <Notice kind={bad.length > 0 || good.length > left ? 'warning' : 'info'}>
        {tn('1 text', '{count} texts', good.length)}
        {hasText && `, ${formatSegments(segments)}`}
        {bad.length > 0 && tn('; 1 row to leave out', '; {count} rows to leave out', bad.length)}
        {good.length > left && t('. Only {left} are left of your messages this month', { left })}
        {hasText && <ListCost texts={good} />}
      </Notice>
      {good.length > 0 && hasText && (
        <Table
          caption={t('The first texts')}
          columns={[
            { title: t('Number'), cell: ({ phone }) => <PhoneNumber number={phone} /> },
            {
              title: t('Text'),
              long: true,
              cell: ({ body }) => <span class="as-written">{body}</span>,
            },
          ]}
          rows={good.slice(0, SHOWN).map((text) => ({ id: String(text.row), ...text }))}
        />
      )}
      {hasText && <BadRows sheet={sheet} bad={bad} />}
    </Card>
  )
}
