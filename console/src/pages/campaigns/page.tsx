import {
  type CampaignProgress,
  computeShownCounts,
  makeTitle,
} from '../../data/campaign-progress.ts'
import type { Campaign } from '../../data/record-types.ts'
import { describeRepeat } from '../../data/repeat.ts'
import { hasTeamRole } from '../../data/session.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useList } from '../../data/use/use-list.ts'
import { t, tn } from '../../language/words.ts'
import { CampaignWays } from '../../parts/campaign-ways.tsx'
import { CampaignStatus } from '../../parts/list/campaign-status.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Progress } from '../../parts/page.tsx'
import { formatPlannedTime } from '../../parts/time.tsx'
import { makePageHref } from '../../router.ts'
import './page.css'

const REFRESH_MS = 5_000

const COLUMNS: readonly Column<Campaign>[] = [
  { title: t('Name'), long: true, cell: (campaign) => makeTitle(campaign) },
  {
    title: t('Recipients'),
    minor: true,
    cell: ({ recipients_count }) => tn('1 person', '{count} people', recipients_count),
  },
  {
    title: t('Time'),
    cell: (campaign) => (
      <span class={campaign.repeat ? 'breaks' : ''}>{describeTime(campaign)}</span>
    ),
  },
  { title: t('State'), cell: ({ status }) => <CampaignStatus status={status} /> },
  {
    title: t('Progress'),
    cell: (campaign) => (campaign.repeat ? '–' : <Course campaign={campaign} />),
    spare: ({ repeat }) => repeat !== null,
  },
]

const isCampaignRunning = ({ status }: Campaign) => status === 'sending' || status === 'paused'

function describeTime({ repeat, status, scheduled_at }: Campaign): string {
  const at = formatPlannedTime(scheduled_at)
  if (!repeat) return at
  const cron = describeRepeat(repeat.cron)
  return status === 'repeating'
    ? t('Repeats: {cron}. Next: {time}', { cron, time: at })
    : t('Repeated: {cron}', { cron })
}

export function Page() {
  const list = useList<Campaign>('campaigns', { sort: '-created,-id' })
  return (
    <ListPage
      title={t('Campaigns')}
      list={list}
      columns={COLUMNS}
      href={({ id }) => makePageHref(`/campaigns/${id}`)}
      icon="campaigns"
      text={t(
        'A campaign is a text to many people. You can change it before it begins, and pause it.',
      )}
      none={[t('No campaigns yet'), t('A text to more than 20 people is always a campaign.')]}
      actions={
        hasTeamRole('agent') && (
          <Menu words={t('New campaign')} icon="plus" primary shortcut="N" floats>
            {() => <CampaignWays />}
          </Menu>
        )
      }
    >
      {!list.loading && list.total === 0 && <CampaignWays />}
    </ListPage>
  )
}

/** How many recipients are done. Asks the server once, and repeatedly only while texts are being sent. */
function Course({ campaign }: { campaign: Campaign }) {
  const { id, recipients_count: total } = campaign
  const { value } = useAnswer<CampaignProgress>(
    `/api/campaigns/${id}/progress`,
    isCampaignRunning(campaign) ? REFRESH_MS : undefined,
  )
  if (!value) return <>–</>
  const { done, counts } = computeShownCounts(value)
  const label = t('{count} of {total}', { count: done, total })
  return (
    <span class="campaigns-course">
      {isCampaignRunning(campaign) ? <Progress value={done} max={total} label={label} /> : label}
      {counts.failed > 0 && (
        <span class="note wrong">{t('{count} failed', { count: counts.failed })}</span>
      )}
    </span>
  )
}
