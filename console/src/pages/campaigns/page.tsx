import { type CampaignProgress, shownCounts, titleOf } from '../../data/campaigns.ts'
import type { Campaign } from '../../data/records.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { CampaignStatus } from '../../parts/list/campaign-status.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Records } from '../../parts/list/records.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { Progress } from '../../parts/wait.tsx'
import { to } from '../../router.ts'

const REFRESH_MS = 5_000

const COLUMNS: readonly Column<Campaign>[] = [
  { title: t('Name'), long: true, cell: (campaign) => titleOf(campaign) },
  { title: t('For'), cell: ({ recipients_count }) => tn('1 person', '{count} people', recipients_count) },
  { title: t('Time'), cell: ({ scheduled_at }) => formatDateTime(scheduled_at) },
  { title: t('State'), cell: ({ status }) => <CampaignStatus status={status} /> },
  {
    title: t('Progress'),
    cell: (campaign) =>
      campaign.status === 'sending' || campaign.status === 'paused' ? <Course campaign={campaign} /> : '–',
  },
]

/** The campaigns of the user, newest first. */
export function Page() {
  const campaigns = useList<Campaign>('campaigns', { sort: '-created,-id' })
  const write = (
    <ButtonLink kind="primary" icon="send" needs="admin" href={to('/send')}>
      {t('Write a text')}
    </ButtonLink>
  )
  return (
    <Frame title={t('Campaigns')} actions={campaigns.total > 0 && write}>
      <Records
        list={campaigns}
        caption={t('Campaigns')}
        columns={COLUMNS}
        href={({ id }) => to(`/campaigns/${id}`)}
        empty={
          <Empty icon="campaigns" title={t('No campaigns yet')} action={write}>
            {t(
              'A text to more than 20 people is a campaign: you can change it before it begins, pause it, and see how far it is.',
            )}
          </Empty>
        }
      />
    </Frame>
  )
}

function Course({ campaign: { id, recipients_count } }: { campaign: Campaign }) {
  const { value } = useAnswer<CampaignProgress>(`/api/campaigns/${id}/progress`, REFRESH_MS)
  if (!value) return <>–</>
  const { done } = shownCounts(value)
  return (
    <Progress
      value={done}
      max={recipients_count}
      label={t('{count} of {total}', { count: done, total: recipients_count })}
    />
  )
}
