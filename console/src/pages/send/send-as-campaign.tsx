import { pb } from '../../data/client.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import type { Request } from './composition.ts'

/** A send to more people than that is a campaign, which is confirmed first. */
const MAX_PLAIN = 20

/** `POST /api/campaigns/preview`. */
interface Preview {
  readonly recipients_count: number
  readonly segments: number
  readonly first: { readonly to: string; readonly body: string }
}

/**
 * Sends a request to many as a campaign, once the user has confirmed it. Gives the campaign; 'no' when the
 * user did not want it; undefined when these are so few that they are no campaign. The same `key` makes one
 * campaign.
 */
export async function sendAsCampaign(
  request: Request,
  key: string,
): Promise<{ readonly id: string } | 'no' | undefined> {
  const { recipients, group_ids } = request as { recipients: readonly string[]; group_ids?: unknown }
  if (recipients.length <= MAX_PLAIN && !group_ids) return undefined
  const body = campaignOf(request)
  const preview = await pb.send<Preview>('/api/campaigns/preview', { method: 'POST', body })
  if (preview.recipients_count <= MAX_PLAIN) return undefined
  if (!(await confirmed(questionOf(preview, String(request.scheduled_at ?? ''))))) return 'no'
  return pb.send('/api/campaigns', { method: 'POST', body, headers: { 'idempotency-key': key } })
}

/** A campaign has an end, where a send has seconds after its time. */
function campaignOf({ ttl, ...request }: Request): Request {
  if (!ttl) return request
  const due = request.scheduled_at ? Date.parse(String(request.scheduled_at)) : Date.now()
  return { ...request, expires_at: new Date(due + Number(ttl) * 1000).toISOString() }
}

function questionOf({ recipients_count, segments, first }: Preview, scheduledAt: string) {
  const people = `${recipients_count.toLocaleString()} people`
  return {
    title: scheduledAt ? `Schedule for ${people}?` : `Send to ${people}?`,
    text: (
      <>
        <p>
          <strong>{people}</strong> get it, which takes <strong>{segmentsText(segments)}</strong>. The first
          text, to {first.to}:
        </p>
        <p class="send-first">{first.body}</p>
        <p class="muted">
          {scheduledAt
            ? `It begins on ${formatDateTime(scheduledAt)}. Until then you can change it.`
            : 'It begins after 10 seconds, in which you can undo it.'}
        </p>
      </>
    ),
    action: scheduledAt ? `Schedule for ${people}` : `Send to ${people}`,
    keep: 'Not yet',
    careful: true,
  }
}
