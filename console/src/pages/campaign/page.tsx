import { useEffect } from 'preact/hooks'
import { type CampaignProgress, titleOf } from '../../data/campaigns.ts'
import type { Campaign } from '../../data/records.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useRecord } from '../../data/use/use-record.ts'
import type { PageProps } from '../../pages.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { CampaignStatus } from '../../parts/list/campaign-status.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { Actions } from './actions.tsx'
import { Course } from './course.tsx'
import { Hold } from './hold.tsx'
import { Replies } from './replies.tsx'
import './page.css'

const REFRESH_MS = 3_000

/** One campaign: what it is, how far it is, and what can be done with it. */
export function Page({ params: { id = '' } }: PageProps) {
  const { record: campaign, loading } = useRecord<Campaign>('campaigns', id, 'groups')
  const { value: progress, reload } = useAnswer<CampaignProgress>(`/api/campaigns/${id}/progress`, REFRESH_MS)
  const changed = campaign?.updated
  useEffect(() => {
    if (changed) void reload()
  }, [changed, reload])
  if (loading) return <Loading />
  if (!campaign)
    return (
      <Frame title="Campaign">
        <Empty
          icon="campaigns"
          title="There is no such campaign"
          action={<ButtonLink href={to('/campaigns')}>All campaigns</ButtonLink>}
        >
          It may have been deleted.
        </Empty>
      </Frame>
    )
  return (
    <Frame title={titleOf(campaign)} back={{ href: to('/campaigns'), words: 'Campaigns' }}>
      {campaign.error && <Notice kind="wrong">{campaign.error}</Notice>}
      {progress && <Hold campaign={campaign} progress={progress} />}
      <Actions campaign={campaign} progress={progress} />
      {progress ? <Course campaign={campaign} progress={progress} /> : <Loading />}
      <div class="columns">
        <What campaign={campaign} />
        {progress && <Replies progress={progress} />}
      </div>
    </Frame>
  )
}

const What = ({ campaign }: { campaign: Campaign }) => (
  <Card title="Text">
    <p class="campaign-text">{campaign.body}</p>
    <dl class="campaign-facts">
      <dt>State</dt>
      <dd>
        <CampaignStatus status={campaign.status} />
      </dd>
      <dt>Time</dt>
      <dd>{formatDateTime(campaign.scheduled_at)}</dd>
      {campaign.expires_at && (
        <>
          <dt>Ends</dt>
          <dd>{formatDateTime(campaign.expires_at)}</dd>
        </>
      )}
      <dt>For</dt>
      <dd>{audienceOf(campaign)}</dd>
    </dl>
  </Card>
)

function audienceOf({ recipients_count, recipients, expand }: Campaign): string {
  const groups = expand?.groups?.map(({ name }) => name) ?? []
  const numbers = recipients.length > 0 ? [`${recipients.length.toLocaleString()} numbers`] : []
  const people = recipients_count === 1 ? '1 person' : `${recipients_count.toLocaleString()} people`
  const parts = [...groups, ...numbers]
  return parts.length > 0 ? `${people}: ${parts.join(', ')}` : people
}
