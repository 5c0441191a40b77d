import type { CampaignPreview } from '../../data/campaign-preview.ts'
import type { Fault } from '../../data/fault.ts'
import { type BadRow, findRowFault, type Sheet } from '../../data/files/sheet.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import type { Usage } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useNames } from '../../data/use/use-known.ts'
import { translateRowReason } from '../../data/words/row-reasons.ts'
import { t, tn } from '../../language/words.ts'
import { BadRows } from '../../parts/bad-rows.tsx'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { PhonePreview } from '../../parts/message/phone-preview.tsx'

/** Three texts of a list on a phone, the longest first, and the rows that get none. */
export function ListPreview({
  sheet,
  samples,
  preview,
  fault,
}: {
  sheet: Sheet
  samples: CampaignPreview['samples']
  preview: CampaignPreview | undefined
  fault: Fault | undefined
}) {
  const { value: usage } = useAnswer<Usage>('/api/sms/usage')
  const findName = useNames(samples.map(({ to }) => to))
  const texts = samples.map((one) => ({ ...one, who: findName(one.to) || one.to }))
  const left = usage?.remaining ?? Number.POSITIVE_INFINITY
  const bad = listBadRows(sheet, preview)
  const count = preview?.recipients_count ?? 0
  const out = preview?.left_out.count ?? 0
  return (
    <section class="stack">
      <h2 class="unseen">{t('As they will arrive')}</h2>
      <PhonePreview texts={texts}>
        {texts.length === 0 && (
          <p class="muted">{fault?.message ?? t('Write a text to see it here.')}</p>
        )}
      </PhonePreview>
      {preview && (
        <Notice kind={bad.length > 0 || count > left ? 'warning' : 'info'}>
          {tn('1 text', '{count} texts', count)}, {formatSegments(preview.segments)}
          {out > 0 && tn('; 1 row to leave out', '; {count} rows to leave out', out)}
          {count > left && t('. Only {left} are left of your messages this month', { left })}
          <EstimatedCost estimate={preview.estimate} />
        </Notice>
      )}
    </section>
  )
}

/** The rows that get no text, with the reasons. */
export const LeftOutRows = ({
  sheet,
  preview,
}: {
  sheet: Sheet
  preview: CampaignPreview | undefined
}) => <BadRows sheet={sheet} bad={listBadRows(sheet, preview)} />

/** The rows without a text: those of the server's answer, and those of faults of the file itself. */
function listBadRows(sheet: Sheet, preview: CampaignPreview | undefined): readonly BadRow[] {
  const cells = new Map(sheet.lines.map((line, at) => [line, sheet.rows[at]!]))
  const own = sheet.lines.flatMap((line) => {
    const why = findRowFault(sheet, line)
    return why ? [{ row: line, cells: cells.get(line) ?? [], why }] : []
  })
  const theirs = preview?.left_out.rows ?? []
  return [
    ...own,
    ...theirs.map(({ line, reason }) => ({
      row: line,
      cells: cells.get(line) ?? [],
      why: translateRowReason(reason),
    })),
  ].sort((a, b) => a.row - b.row)
}
