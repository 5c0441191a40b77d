import { useEffect } from 'preact/hooks'
import {
  type CampaignProgress,
  computeShownCounts,
  makeTitle,
} from '../../data/campaign-progress.ts'
import { pb } from '../../data/client.ts'
import type { Campaign } from '../../data/record-types.ts'
import { hasTeamRole, session } from '../../data/session.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { translateFault } from '../../data/words/fault-sentences.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { CampaignStatus } from '../../parts/list/campaign-status.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Card, Facts, Page as Frame, Loading } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ProofCard } from '../../parts/proof.tsx'
import { SendProgress } from '../../parts/send-progress.tsx'
import { formatPlannedTime, Time } from '../../parts/time.tsx'
import { makeConversationPath, makePageHref, type PageProps } from '../../router.ts'
import { Actions } from './actions.tsx'
import { HeldNotices, useHeldTexts } from './held-texts.tsx'
import { Hold } from './hold.tsx'
import { makeCampaignFilter } from './messages-filter.ts'
import './page.css'
import { RecipientRows } from './recipient-rows.tsx'
import { ReminderCard } from './reminder-card.tsx'
import { countGiven, SimulatedNotice, useSimulatedTexts } from './simulated.tsx'
import { TextCard } from './text-card.tsx'
import { useWaitingPhones } from './waiting-phones.ts'

const REFRESH_MS = 3_000
/** Maximum runs and replies that the page shows. */
const SHOWN = 20

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Campaign>('campaigns', id, 'groups,line.device')
  const { record: campaign } = read
  const { value: progress, reload } = useAnswer<CampaignProgress>(
    `/api/campaigns/${id}/progress`,
    REFRESH_MS,
  )
  const simulated = useSimulatedTexts(campaign, progress)
  const held = useHeldTexts(campaign, progress?.counts.pending)
  const changed = campaign?.updated
  useEffect(() => {
    if (changed) void reload()
  }, [changed, reload])
  if (!campaign)
    return (
      <Missing
        read={read}
        icon="campaigns"
        title={t('Campaign')}
        gone={t('There is no such campaign')}
        all={[makePageHref('/campaigns'), t('All campaigns')]}
      />
    )
  // agents are in charge of the lists that they have sent
  const isOwn = hasTeamRole('agent') && campaign.made_by === session.value?.sender
  const isInCharge = hasTeamRole('admin') || isOwn
  return (
    <Frame
      title={makeTitle(campaign)}
      state={<CampaignStatus status={campaign.status} />}
      back={{ href: makePageHref('/campaigns'), words: t('Campaigns') }}
      actions={isInCharge && <Actions campaign={campaign} progress={progress} />}
    >
      {campaign.error && <Notice kind="wrong">{translateFault(campaign.error)}</Notice>}
      {progress && isInCharge && <Hold campaign={campaign} progress={progress} />}
      {simulated > 0 && <SimulatedNotice count={simulated} />}
      <HeldNotices held={held} />
      {campaign.repeat && <Runs campaign={campaign} />}
      {campaign.reminder && <ReminderCard campaign={campaign} progress={progress} />}
      {!campaign.repeat &&
        !campaign.reminder &&
        (progress ? (
          <Course {...{ campaign, progress, simulated }} held={held.quiet + held.room} />
        ) : (
          <Loading />
        ))}
      <div class="columns">
        <TextCard campaign={campaign} />
        {progress?.consent && <ProofCard proof={progress.consent} />}
        {progress && !campaign.repeat && <Replies progress={progress} />}
      </div>
      {(campaign.rows > 0 || campaign.reminder) && <RecipientRows campaign={campaign} />}
    </Frame>
  )
}

function Runs({ campaign: { id, runs } }: { campaign: Campaign }) {
  const { items } = useList<Campaign>('campaigns', {
    filter: pb.filter('run_of = {:id}', { id }),
    sort: '-created,-id',
    perPage: SHOWN,
  })
  return (
    <Card title={t('Runs')}>
      <p class="muted">
        {runs === 0
          ? t('Not sent yet.')
          : tn('It has run once.', 'It has run {count} times.', runs)}
      </p>
      <ul class="campaign-replies">
        {items.map((run) => (
          <li key={run.id}>
            <a href={makePageHref(`/campaigns/${run.id}`)}>{formatPlannedTime(run.scheduled_at)}</a>{' '}
            <CampaignStatus status={run.status} /> {run.error && translateFault(run.error)}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Course({
  campaign,
  progress,
  simulated,
  held,
}: {
  campaign: Campaign
  progress: CampaignProgress
  /** How many texts simulated phones have. */
  simulated: number
  /** How many due texts have no device yet. */
  held: number
}) {
  const { recipients_count } = progress
  const { counts, done } = computeShownCounts(progress, held)
  const phones = useWaitingPhones(campaign, progress.counts.assigned)
  const areAllSimulated = simulated > 0 && simulated >= countGiven(progress.counts)
  return (
    <SendProgress
      done={done}
      counts={counts}
      total={recipients_count}
      filter={`(${makeCampaignFilter(campaign)})`}
      words={{
        ...(progress.status === 'paused' && { pending: t('paused') }),
        ...(areAllSimulated && {
          sent: t('would have been sent'),
          delivered: t('would have been delivered'),
        }),
      }}
    >
      <Facts
        class="figures"
        facts={[
          [t('Answers'), formatNumber(progress.replies)],
          [t('Opted out#count'), formatNumber(progress.opt_outs)],
          campaign.segments > 0 && [
            t('Segments sent'),
            t('{count} of {total}', { count: progress.segments_used, total: campaign.segments }),
          ],
        ]}
      />
      {phones.length > 0 && <Facts facts={[[t('Texts wait for'), phones.join(', ')]]} />}
    </SendProgress>
  )
}

function Replies({ progress: { latest_replies: latest } }: { progress: CampaignProgress }) {
  const findName = useNames(latest.map(({ from }) => from))
  return (
    <Card title={t('Answers')}>
      {latest.length === 0 && <p class="muted">{t('Nobody has answered yet.')}</p>}
      <ul class="campaign-replies">
        {latest.map(({ id, from, body, created }) => (
          <li key={id}>
            <a href={makePageHref(makeConversationPath(from))}>
              {findName(from) || <PhoneNumber number={from} />}
            </a>{' '}
            <Time at={created} />
            <p>{body}</p>
          </li>
        ))}
      </ul>
      {latest.length >= SHOWN && (
        <p class="muted">{t('These are the latest {count}.', { count: latest.length })}</p>
      )}
    </Card>
  )
}
