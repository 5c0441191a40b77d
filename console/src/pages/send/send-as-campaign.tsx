import type { WithoutConsent } from '../../data/campaign-progress.ts'
import { postRequest } from '../../data/client.ts'
import type { Estimate } from '../../data/cost-estimate.ts'
import { describeHours } from '../../data/hours.ts'
import { isWithinHours } from '../../data/notifications/is-within-hours.ts'
import { type Repeat, writeRepeatSentence } from '../../data/repeat.ts'
import { hasTeamRole } from '../../data/session.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import { accountZone, HERE } from '../../data/time-zones.ts'
import { addFileNames, addFiles, type ChosenFile } from '../../data/use/chosen-files.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { t, tx } from '../../language/words.ts'
import {
  confirmManyPeople,
  formatPeopleCount,
  MAX_PLAIN,
} from '../../parts/dialog/confirm-many-people.tsx'
import { EstimatedCost } from '../../parts/form/estimated-cost.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { LastLeaves } from '../../parts/form/send-notices.tsx'
import { OptedOutMembers } from '../../parts/opted-out-members.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { LeftOut } from '../../parts/proof.tsx'
import { formatPlannedTime } from '../../parts/time.tsx'
import { countReached, type Request, type Preview as SendPreview } from './composition.ts'

/** The answer of `POST /api/campaigns/preview`. */
interface Preview {
  readonly recipients_count: number
  readonly segments: number
  readonly last_leaves_at: string
  readonly estimate: Estimate | null
  readonly first: { readonly to: string; readonly body: string }
  readonly without_consent: WithoutConsent
  readonly missing?: readonly string[]
}

/**
 * Sends a request as a campaign, if the user confirms. Returns the campaign; 'no' if the user declined; or
 * undefined if the caller must send without a campaign (there are few recipients, or the user has the role
 * agent). Calls with the same `key` make only one campaign. `atMs`: when the request got its key.
 */
export async function sendAsCampaign(
  request: Request,
  files: readonly ChosenFile[],
  key: string,
  atMs: number,
): Promise<{ readonly id: string } | 'no' | undefined> {
  const { recipients, group_ids } = request as {
    recipients: readonly string[]
    group_ids?: unknown
  }
  const repeats = request.repeat !== undefined
  const isCampaign = repeats || request.name !== undefined || request.requires_consent === true
  if (recipients.length <= MAX_PLAIN && !group_ids && !isCampaign) return undefined
  if (!hasTeamRole('admin')) return sendAsAgent(request, files)
  const begins = repeats ? await findFirstTime(request) : String(request.scheduled_at ?? '')
  const body = makeCampaign(request, begins, atMs)
  const preview = await postRequest<Preview>('/api/campaigns/preview', addFileNames(body, files))
  if (preview.recipients_count <= MAX_PLAIN && !isCampaign) return undefined
  const sentence = repeats ? writeRepeatSentence(request.repeat as Repeat) : undefined
  if (!(await confirmRequest(preview, request, files, begins, true, sentence))) return 'no'
  const headers = { 'idempotency-key': key }
  return postRequest('/api/campaigns', addFiles(body, files), { headers })
}

/**
 * Asks an agent, who may not make campaigns, to confirm a request. Returns 'no' if the agent declined. Asks
 * nothing if there are too many recipients: the server will refuse these.
 */
async function sendAsAgent(
  request: Request,
  files: readonly ChosenFile[],
): Promise<'no' | undefined> {
  const preview = await postRequest<SendPreview>('/api/sms/preview', addFileNames(request, files))
  const first = preview.items.find((item) => !item.opted_out && !item.without_consent)
  if (preview.recipients_count > MAX_PLAIN || !first) return undefined
  const without = preview.items.filter((item) => item.without_consent)
  const shown = {
    ...preview,
    recipients_count: countReached(preview),
    segments: preview.total_segments,
    first,
    without_consent: { count: preview.without_consent, recipients: without.map((item) => item.to) },
  }
  const scheduledAt = String(request.scheduled_at ?? '')
  return (await confirmRequest(shown, request, files, scheduledAt, false)) ? undefined : 'no'
}

/** When a repeating campaign is sent for the first time. */
async function findFirstTime({ repeat, scheduled_at }: Request): Promise<string> {
  const asked = { repeat, scheduled_at }
  const { times } = await postRequest<{ times: readonly [string] }>('/api/campaigns/times', asked)
  return new Date(parseDate(times[0])).toISOString()
}

/** Turns a send request into one for a campaign: `expires_at` replaces `ttl`. `begins`: '' is `atMs`. */
function makeCampaign({ ttl, ...request }: Request, begins: string, atMs: number): Request {
  if (!ttl) return request
  const due = begins ? Date.parse(begins) : atMs
  return { ...request, expires_at: new Date(due + Number(ttl) * 1000).toISOString() }
}

/** Says that texts wait if they are due in quiet hours by this clock. `at`: their time; '' for now. */
function QuietNotice({ at }: { at: string }) {
  const hours = ownHours.value
  const due = at ? new Date(parseDate(at)) : new Date()
  if (!hours || !isWithinHours(hours.from, hours.to, accountZone.value || HERE, due)) return null
  return (
    <Notice kind="warning">
      {t('Quiet hours are {hours} in the recipient’s local time. Texts wait until they are over.', {
        hours: describeHours(hours),
      })}
    </Notice>
  )
}

/** Shows what a request would do, and asks whether to send it. `repeats`: how often, in words. */
function confirmRequest(
  {
    recipients_count,
    segments,
    first,
    last_leaves_at,
    estimate,
    without_consent,
    missing,
  }: Preview,
  request: Request,
  files: readonly ChosenFile[],
  scheduledAt: string,
  isCampaign: boolean,
  repeats?: string,
) {
  const people = <strong>{formatPeopleCount(recipients_count)}</strong>
  const number = <PhoneNumber number={first.to} />
  return confirmManyPeople({
    people: recipients_count,
    what:
      segments === 0
        ? tx('This MMS goes to {people}. The first, to {number}:', { people, number })
        : tx('This goes to {people} and takes {segments}. The first text, to {number}:', {
            people,
            number,
            segments: <strong>{formatSegments(segments)}</strong>,
          }),
    firstText: first.body,
    files,
    cost: (
      <>
        {missing && (
          <Notice kind="warning">
            {t('Empty for some people: {names}. Their texts have a gap.', {
              names: missing.join(', '),
            })}
          </Notice>
        )}
        {(isCampaign || request.quiet_hours === true) && request.quiet_hours !== false && (
          <QuietNotice at={scheduledAt} />
        )}
        <OptedOutMembers groups={(request.group_ids ?? []) as readonly string[]} />
        <EstimatedCost estimate={estimate} />
      </>
    ),
    begins: (
      <>
        <LeftOut {...without_consent} />
        {scheduledAt
          ? t('It begins on {time}. Until then you can change it.', {
              time: formatPlannedTime(scheduledAt),
            }) + (repeats ? ` ${t('Pause it at any time on its page.')}` : '')
          : isCampaign && t('It begins after 10 seconds, in which you can undo it.')}{' '}
        <LastLeaves at={last_leaves_at} dueAt={scheduledAt} />
      </>
    ),
    isLater: scheduledAt !== '',
    repeats,
  })
}
