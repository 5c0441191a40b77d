import { type CampaignProgress, filterOf } from '../../data/campaigns.ts'
import type { Campaign } from '../../data/records.ts'
import { Card } from '../../parts/page.tsx'
import { Badge, MESSAGE_STATES } from '../../parts/status.tsx'
import { Progress } from '../../parts/wait.tsx'
import { to } from '../../router.ts'

const STATES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed'] as const

/** How far it is: a bar by state, and what it has cost. */
export function Course({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const { counts, recipients_count } = progress
  const filter = `(${filterOf(campaign)})`
  const over = counts.sent + counts.delivered + counts.failed
  const wordsOf = (state: (typeof STATES)[number]) =>
    state === 'pending' && progress.status === 'paused' ? 'paused' : MESSAGE_STATES[state][1].toLowerCase()
  return (
    <Card title="Progress">
      <Progress
        value={over}
        max={recipients_count}
        label={`${over.toLocaleString()} of ${recipients_count.toLocaleString()} are done`}
      />
      <div class="row">
        {STATES.filter((state) => counts[state] > 0).map((state) => (
          <a key={state} href={to('/messages', { filter: `${filter} && status = "${state}"` })}>
            <Badge tone={MESSAGE_STATES[state][0]}>
              {counts[state].toLocaleString()} {wordsOf(state)}
            </Badge>
          </a>
        ))}
      </div>
      <dl class="figures">
        <div>
          <dt>Replies</dt>
          <dd>{progress.replies.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Opted out</dt>
          <dd>{progress.opt_outs.toLocaleString()}</dd>
        </div>
        <div>
          <dt>Segments sent</dt>
          <dd>
            {progress.segments_used.toLocaleString()} of {campaign.segments.toLocaleString()}
          </dd>
        </div>
      </dl>
    </Card>
  )
}
