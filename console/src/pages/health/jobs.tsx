import { useAnswer } from '../../data/use/use-answer.ts'
import { formatNumber, t } from '../../language/words.ts'
import { TableSection } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { describeDuration } from './duration-words.ts'

interface JobFigures {
  readonly kind: string
  readonly open: number
  readonly dead: number
  readonly oldest_seconds: number
  readonly last_error: string
}

type JobRow = JobFigures & { readonly id: string }

const JOBS_EVERY_MS = 10_000

const JOB_KINDS: Readonly<Record<string, string>> = {
  answer: t('Automatic answers'),
  push: t('Notifications in browsers'),
  campaign: t('Campaigns'),
  alarm_mail: t('Mails about silent devices'),
  reply_mail: t('Mails about unanswered texts'),
}

const JOB_COLUMNS: readonly Column<JobRow>[] = [
  { title: t('Kind'), cell: ({ kind }) => JOB_KINDS[kind] ?? kind },
  { title: t('Waiting'), align: 'end', cell: ({ open }) => formatNumber(open) },
  { title: t('Longest wait'), align: 'end', cell: (job) => describeDuration(job.oldest_seconds) },
  { title: t('Failed for good'), align: 'end', cell: ({ dead }) => formatNumber(dead) },
  { title: t('Last error'), long: true, cell: (job) => job.last_error || '–' },
]

export function Jobs() {
  const { value } = useAnswer<readonly JobFigures[]>('/api/jobs', JOBS_EVERY_MS)
  return (
    <TableSection
      title={t('Background jobs')}
      none={value ? t('None.') : t('Loading')}
      columns={JOB_COLUMNS}
      rows={(value ?? []).map((job) => ({ ...job, id: job.kind }))}
    />
  )
}
