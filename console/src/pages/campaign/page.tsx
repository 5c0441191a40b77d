import { useEffect } from 'preact/hooks'
import { type CampaignProgress, titleOf } from '../../data/campaigns.ts'
import { hoursWords } from '../../data/hours.ts'
import type { Campaign } from '../../data/records.ts'
import { may } from '../../data/session.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { lineWords } from '../../data/use/use-lines.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { inWords } from '../../data/words/fault-sentences.ts'
import { t, tn } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { CampaignStatus } from '../../parts/list/campaign-status.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { Actions } from './actions.tsx'
import { Course } from './course.tsx'
import { Hold } from './hold.tsx'
import { Replies } from './replies.tsx'
import { Simulated } from './simulated.tsx'
import './page.css'

const REFRESH_MS = 3_000

/** One campaign: content, progress and actions. */
export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Campaign>('campaigns', id, 'groups,line.device')
  const { record: campaign, loading } = read
  const { value: progress, reload } = useAnswer<CampaignProgress>(`/api/campaigns/${id}/progress`, REFRESH_MS)
  const changed = campaign?.updated
  useEffect(() => {
    if (changed) void reload()
  }, [changed, reload])
  if (loading) return <Loading />
  if (!campaign)
    return (
      <Frame title={t('Campaign')}>
        <Missing
          icon="campaigns"
          gone={t('There is no such campaign')}
          action={<ButtonLink href={to('/campaigns')}>{t('All campaigns')}</ButtonLink>}
          record={read}
        />
      </Frame>
    )
  return (
    <Frame title={titleOf(campaign)} back={{ href: to('/campaigns'), words: t('Campaigns') }}>
      {campaign.error && <Notice kind="wrong">{inWords(campaign.error)}</Notice>}
      {progress && may('admin') && <Hold campaign={campaign} progress={progress} />}
      {progress && <Simulated campaign={campaign} progress={progress} />}
      {may('admin') && <Actions campaign={campaign} progress={progress} />}
      {progress ? <Course campaign={campaign} progress={progress} /> : <Loading />}
      <div class="columns">
        <What campaign={campaign} />
        {progress && <Replies progress={progress} />}
      </div>
    </Frame>
  )
}

const What = ({ campaign }: { campaign: Campaign }) => (
  <Card title={t('Text')}>
    <p class="campaign-text">{campaign.body}</p>
    <dl class="campaign-facts">
      <dt>{t('State')}</dt>
      <dd>
        <CampaignStatus status={campaign.status} />
      </dd>
      <dt>{t('Time')}</dt>
      <dd>{formatDateTime(campaign.scheduled_at)}</dd>
      {campaign.expires_at && (
        <>
          <dt>{t('Ends')}</dt>
          <dd>{formatDateTime(campaign.expires_at)}</dd>
        </>
      )}
      <dt>{t('For')}</dt>
      <dd>{audienceOf(campaign)}</dd>
      {campaign.expand?.line && (
        <>
          <dt>{t('Line')}</dt>
          <dd>{lineWords(campaign.expand.line)}</dd>
        </>
      )}
      {ownHours.value && (
        <>
          <dt>{t('Quiet hours')}</dt>
          <dd>{campaign.quiet_hours ? hoursWords(ownHours.value) : t('It does not wait for their end')}</dd>
        </>
      )}
    </dl>
  </Card>
)

function audienceOf({ recipients_count, recipients, expand }: Campaign): string {
  const groups = expand?.groups?.map(({ name }) => name) ?? []
  const numbers = recipients.length > 0 ? [tn('1 number', '{count} numbers', recipients.length)] : []
  const people = tn('1 person', '{count} people', recipients_count)
  const parts = [...groups, ...numbers]
  return parts.length > 0 ? `${people}: ${parts.join(', ')}` : people
}
