import { type CampaignProgress, filterOf, shownCounts } from '../../data/campaigns.ts'
import type { Campaign } from '../../data/records.ts'
import { stateFilter } from '../../data/words/failure-reasons.ts'
import { MESSAGE_STATES } from '../../data/words/message-states.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import { Badge } from '../../parts/status.tsx'
import { Progress } from '../../parts/wait.tsx'
import { to } from '../../router.ts'

const STATES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'canceled'] as const

/** The progress of a campaign: a bar by state, and the segments used. */
export function Course({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const { recipients_count } = progress
  const { counts, done } = shownCounts(progress)
  const filter = `(${filterOf(campaign)})`
  const wordsOf = (state: (typeof STATES)[number]) =>
    state === 'pending' && progress.status === 'paused' ? t('paused') : MESSAGE_STATES[state][1].toLowerCase()
  return (
    <Card title={t('Progress')}>
      <Progress
        value={done}
        max={recipients_count}
        label={t('{count} of {total} are done', { count: done, total: recipients_count })}
      />
      <div class="campaign-states" aria-hidden="true">
        {STATES.map((state) => (
          <span key={state} class={MESSAGE_STATES[state][0]} style={{ flexGrow: counts[state] }} />
        ))}
      </div>
      <div class="row">
        {STATES.filter((state) => counts[state] > 0).map((state) => (
          <a key={state} href={to('/messages', { filter: `${filter} && ${stateFilter(state)}` })}>
            <Badge tone={MESSAGE_STATES[state][0]}>
              {formatNumber(counts[state])} {wordsOf(state)}
            </Badge>
          </a>
        ))}
      </div>
      <dl class="figures">
        <div>
          <dt>{t('Replies')}</dt>
          <dd>{formatNumber(progress.replies)}</dd>
        </div>
        <div>
          <dt>{t('Opted out')}</dt>
          <dd>{formatNumber(progress.opt_outs)}</dd>
        </div>
        <div>
          <dt>{t('Segments sent')}</dt>
          <dd>{t('{count} of {total}', { count: progress.segments_used, total: campaign.segments })}</dd>
        </div>
      </dl>
    </Card>
  )
}
