import { formatPhone } from '#portable/phone/format-phone.ts'
import type { NextReminder } from '../../data/campaign-preview.ts'
import { translateRowReason } from '../../data/words/row-reasons.ts'
import { t } from '../../language/words.ts'
import { Badge, formatSoon } from '../time.tsx'
import { Table } from './table.tsx'

/** The next texts of a reminder: who, when and what, or why one would be left out. */
export const NextReminders = ({ rows }: { rows: readonly NextReminder[] }) =>
  rows.length === 0 ? (
    <p class="muted">{t('No date is coming up soon.')}</p>
  ) : (
    <Table
      caption={t('The next texts')}
      columns={[
        { title: t('To'), cell: ({ name, to }) => name || formatPhone(to) || t('No number') },
        { title: t('Time'), cell: ({ leaves_at }) => formatSoon(leaves_at) },
        {
          title: t('Text'),
          long: true,
          cell: ({ body, reason }) =>
            reason ? (
              <Badge tone="warn">{translateRowReason(reason)}</Badge>
            ) : (
              <bdi class="as-written">{body}</bdi>
            ),
        },
      ]}
      rows={rows.map((row) => ({ ...row, id: `${row.record} ${row.date}` }))}
    />
  )
