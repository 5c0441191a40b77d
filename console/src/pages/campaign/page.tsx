import { useEffect, useState } from 'preact/hooks'
import {
  type CampaignProgress,
  computeShownCounts,
  makeTitle,
} from '../../data/campaign-progress.ts'
import { pb, postRequest } from '../../data/client.ts'
import { describeLine } from '../../data/device/lines.ts'
import { describeHours } from '../../data/hours.ts'
import type { Campaign } from '../../data/record-types.ts'
import { writeRepeatSentence } from '../../data/repeat.ts'
import { hasTeamRole } from '../../data/session.ts'
import { formatLocal, parseDate } from '../../data/text/local-time.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { translateFault } from '../../data/words/fault-sentences.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { NextTimes } from '../../parts/form/repeat-field.tsx'
import { HoldNotice } from '../../parts/form/send-notices.tsx'
import { CampaignStatus } from '../../parts/list/campaign-status.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { OptedOutMembers } from '../../parts/opted-out-members.tsx'
import { Card, type Fact, Facts, Page as Frame, Loading } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { ProofCard } from '../../parts/proof.tsx'
import { SendProgress } from '../../parts/send-progress.tsx'
import { formatDateTime, Time } from '../../parts/time.tsx'
import { showToast } from '../../parts/toast.tsx'
import { makeConversationPath, makePageHref, type PageProps } from '../../router.ts'
import { Actions } from './actions.tsx'
import { makeFilter } from './messages-filter.ts'
import './page.css'
import { QuietTexts } from './quiet-texts.tsx'
import { countGiven, SimulatedNotice, useSimulatedTexts } from './simulated.tsx'
import { useWaitingPhones } from './waiting-phones.ts'

const REFRESH_MS = 3_000

export function Page({ params: { id = '' } }: PageProps) {
  const read = useRecord<Campaign>('campaigns', id, 'groups,line.device')
  const { record: campaign } = read
  const { value: progress, reload } = useAnswer<CampaignProgress>(
    `/api/campaigns/${id}/progress`,
    REFRESH_MS,
  )
  const simulated = useSimulatedTexts(campaign, progress)
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
  return (
    <Frame
      title={makeTitle(campaign)}
      back={{ href: makePageHref('/campaigns'), words: t('Campaigns') }}
      actions={hasTeamRole('admin') && <Actions campaign={campaign} progress={progress} />}
    >
      {campaign.error && <Notice kind="wrong">{translateFault(campaign.error)}</Notice>}
      {progress && hasTeamRole('admin') && <Hold campaign={campaign} progress={progress} />}
      {simulated > 0 && <SimulatedNotice count={simulated} />}
      {progress && <QuietTexts campaign={campaign} pending={progress.counts.pending} />}
      {campaign.repeat && <Runs campaign={campaign} />}
      {!campaign.repeat &&
        (progress ? (
          <Course campaign={campaign} progress={progress} simulated={simulated} />
        ) : (
          <Loading />
        ))}
      <div class="columns">
        <What campaign={campaign} />
        {progress?.consent && <ProofCard proof={progress.consent} />}
        {progress && !campaign.repeat && <Replies progress={progress} />}
      </div>
    </Frame>
  )
}

const What = ({ campaign }: { campaign: Campaign }) => (
  <Card title={t('Text')}>
    <p class="as-written">{campaign.body}</p>
    <Attachments record={campaign} />
    <Facts
      facts={[
        [t('State'), <CampaignStatus status={campaign.status} />],
        [t('Time'), formatDateTime(campaign.scheduled_at)],
        campaign.repeat !== null && [t('How often'), writeRepeatSentence(campaign.repeat)],
        campaign.repeat !== null &&
          campaign.status === 'repeating' && [
            t('Next runs'),
            <NextTimes
              repeat={campaign.repeat}
              from={formatLocal(parseDate(campaign.scheduled_at))}
            />,
          ],
        campaign.run_of !== '' && [
          t('Run of'),
          <a href={makePageHref(`/campaigns/${campaign.run_of}`)}>
            {t('a campaign that repeats')}
          </a>,
        ],
        campaign.expires_at !== '' && [t('Ends'), formatDateTime(campaign.expires_at)],
        [t('Recipients'), describeAudience(campaign)],
        ...Object.entries(campaign.variables ?? {}).map(
          ([name, value]): Fact => [`{{${name}}}`, String(value)],
        ),
        campaign.expand?.line !== undefined && [t('Line'), describeLine(campaign.expand.line)],
        ownHours.value !== undefined && [
          t('Quiet hours'),
          campaign.quiet_hours ? describeHours(ownHours.value) : t('Ignored'),
        ],
      ]}
    />
    {(campaign.status === 'scheduled' || campaign.status === 'repeating') && (
      <OptedOutMembers groups={campaign.groups} />
    )}
  </Card>
)

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
            <a href={makePageHref(`/campaigns/${run.id}`)}>{formatDateTime(run.scheduled_at)}</a>{' '}
            <CampaignStatus status={run.status} /> {run.error && translateFault(run.error)}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** How many people get the text, and the groups from which they are. */
function describeAudience(campaign: Campaign): string {
  const { recipients_count, recipients, groups: ids, repeat, expand } = campaign
  if (repeat !== null && recipients.length + ids.length === 0)
    return t('Nobody any more: its groups were deleted.')
  const people = tn('1 person', '{count} people', recipients_count)
  const groups = expand?.groups?.map(({ name }) => name) ?? []
  const numbers =
    recipients.length > 0 ? [tn('1 number', '{count} numbers', recipients.length)] : []
  return groups.length > 0 ? `${people}: ${[...groups, ...numbers].join(', ')}` : people
}

function Course({
  campaign,
  progress,
  simulated,
}: {
  campaign: Campaign
  progress: CampaignProgress
  /** How many texts simulated phones have. */
  simulated: number
}) {
  const { recipients_count } = progress
  const { counts, done } = computeShownCounts(progress)
  const phones = useWaitingPhones(campaign, counts.assigned)
  const areAllSimulated = simulated > 0 && simulated >= countGiven(counts)
  return (
    <SendProgress
      done={done}
      counts={counts}
      total={recipients_count}
      filter={`(${makeFilter(campaign)})`}
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
          [t('Replies'), formatNumber(progress.replies)],
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

/** The longest countdown, in seconds. Campaigns that begin later show as scheduled. */
const MAX_SECONDS = 60

function Hold({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const left = useCountdown(progress)
  const undo = useTask(async () => {
    await postRequest(`/api/campaigns/${campaign.id}/cancel`)
    showToast(t('Undone: nobody gets it'))
  })
  if (campaign.status !== 'scheduled' || left <= 0 || progress.begins_in_seconds > MAX_SECONDS)
    return null
  return <HoldNotice left={left} undo={undo} />
}

/** Whole seconds until a campaign begins, counted from the server's answer: browser clocks may be wrong. */
function useCountdown(progress: CampaignProgress): number {
  const [endMs, setEndMs] = useState(0)
  useEffect(() => setEndMs(performance.now() + progress.begins_in_seconds * 1000), [progress])
  return useSecondsLeft(endMs)
}

const SHOWN = 20

function Replies({ progress: { latest_replies: latest } }: { progress: CampaignProgress }) {
  const findName = useNames(latest.map(({ from }) => from))
  return (
    <Card title={t('Replies')}>
      {latest.length === 0 && <p class="muted">{t('Nobody has replied yet.')}</p>}
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
