import { useAnswer } from '../../data/use/use-answer.ts'
import { formatNumber, t } from '../../language/words.ts'
import { type Column, TableSection } from '../../parts/list/table.tsx'
import { lasting } from './offline.tsx'

/** An item of `GET /api/jobs`. */
interface JobFigures {
  readonly kind: string
  readonly open: number
  readonly dead: number
  readonly oldest_seconds: number
  readonly last_error: string
}

type Row = JobFigures & { readonly id: string }

const EVERY_MS = 10_000

const KINDS: Readonly<Record<string, string>> = {
  answer: t('Automatic answers'),
  push: t('Notifications in browsers'),
  campaign: t('Campaigns'),
  alarm_mail: t('Mails about silent devices'),
  reply_mail: t('Mails about unanswered texts'),
}

const COLUMNS: readonly Column<Row>[] = [
  { title: t('Kind'), cell: ({ kind }) => KINDS[kind] ?? kind },
  { title: t('Waiting'), align: 'end', cell: ({ open }) => formatNumber(open) },
  { title: t('The oldest waits for'), align: 'end', cell: (job) => lasting(job.oldest_seconds) },
  { title: t('Failed for good'), align: 'end', cell: ({ dead }) => formatNumber(dead) },
  { title: t('Last error'), long: true, cell: (job) => job.last_error || '–' },
]

/** Background jobs of all accounts, if any. */
export function Jobs() {
  const { value } = useAnswer<readonly JobFigures[]>('/api/jobs', EVERY_MS)
  return (
    <TableSection
      title={t('Background jobs')}
      none={value ? t('None.') : t('Loading…')}
      columns={COLUMNS}
      rows={(value ?? []).map((job) => ({ ...job, id: job.kind }))}
    />
  )
}
