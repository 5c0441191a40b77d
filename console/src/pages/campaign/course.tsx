import { type CampaignProgress, filterOf } from '../../data/campaigns.ts'
import type { Campaign } from '../../data/records.ts'
import { CANCELED_FILTER, FAILED_FILTER } from '../../data/words/failure-reasons.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import { Badge, MESSAGE_STATES } from '../../parts/status.tsx'
import { Progress } from '../../parts/wait.tsx'
import { to } from '../../router.ts'

const STATES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed'] as const

const FILTERS: Partial<Record<(typeof STATES)[number], string>> = {
  failed: FAILED_FILTER,
}

/** How far it is: a bar by state, and what it has cost. */
export function Course({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const { counts, recipients_count } = progress
  const filter = `(${filterOf(campaign)})`
  const failed = counts.failed - progress.canceled
  const over = counts.sent + counts.delivered + failed
  const shownOf = (state: (typeof STATES)[number]) => (state === 'failed' ? failed : counts[state])
  const wordsOf = (state: (typeof STATES)[number]) =>
    state === 'pending' && progress.status === 'paused' ? t('paused') : MESSAGE_STATES[state][1].toLowerCase()
  return (
    <Card title={t('Progress')}>
      <Progress
        value={over}
        max={recipients_count}
        label={t('{count} of {total} are done', { count: over, total: recipients_count })}
      />
      <div class="campaign-states" aria-hidden="true">
        {STATES.map((state) => (
          <span key={state} class={MESSAGE_STATES[state][0]} style={{ flexGrow: shownOf(state) }} />
        ))}
        <span style={{ flexGrow: progress.canceled }} />
      </div>
      <div class="row">
        {STATES.filter((state) => shownOf(state) > 0).map((state) => (
          <a
            key={state}
            href={to('/messages', { filter: `${filter} && ${FILTERS[state] ?? `status = "${state}"`}` })}
          >
            <Badge tone={MESSAGE_STATES[state][0]}>
              {formatNumber(shownOf(state))} {wordsOf(state)}
            </Badge>
          </a>
        ))}
        {progress.canceled > 0 && (
          <a href={to('/messages', { filter: `${filter} && ${CANCELED_FILTER}` })}>
            <Badge tone="calm">
              {formatNumber(progress.canceled)} {t('Canceled').toLowerCase()}
            </Badge>
          </a>
        )}
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
