import type { Sheet } from '../../data/files/sheet.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import type { Usage } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { BadRows } from '../../parts/bad-rows.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import type { ListPlan } from './list-rows.ts'

const SHOWN = 5

/** What would be sent, before anything is. */
export function ListPreview({ sheet, plan, hasText }: { sheet: Sheet; plan: ListPlan; hasText: boolean }) {
  const { value: usage } = useAnswer<Usage>('/api/sms/usage')
  const { good, bad, segments } = plan
  const left = usage?.remaining ?? Number.POSITIVE_INFINITY
  return (
    <Card title="As they will arrive">
      <Notice kind={bad.length > 0 || good.length > left ? 'warning' : 'info'}>
        {`${good.length.toLocaleString()} ${good.length === 1 ? 'text' : 'texts'}`}
        {hasText && `, ${segmentsText(segments)}`}
        {bad.length > 0 &&
          `; ${bad.length.toLocaleString()} ${bad.length === 1 ? 'row' : 'rows'} to leave out`}
        {good.length > left && `. Only ${left.toLocaleString()} are left of your messages this month`}
      </Notice>
      {good.length > 0 && hasText && (
        <Table
          caption="The first texts"
          columns={[
            { title: 'Number', cell: ({ phone }) => <PhoneNumber number={phone} /> },
            { title: 'Text', long: true, cell: ({ body }) => <span class="list-text">{body}</span> },
          ]}
          rows={good.slice(0, SHOWN).map((text) => ({ id: String(text.row), ...text }))}
        />
      )}
      {hasText && <BadRows sheet={sheet} bad={bad} />}
    </Card>
  )
}
