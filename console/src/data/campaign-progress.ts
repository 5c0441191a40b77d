import { cutBetweenGraphemes } from '#portable/cut-text.ts'
import { t } from '../language/words.ts'
import type { FailedCounts } from './failed.ts'
import type { CampaignState, MessageState } from './record-types.ts'
import { moveHeld } from './words/message-states.ts'

/** People who are left out of a campaign: how many, and the numbers of the first of them. */
export interface WithoutConsent {
  readonly count: number
  readonly recipients: readonly string[]
}

/** The proof of consent to a campaign that requires it. */
export interface CampaignProof {
  readonly given: number
  readonly since: string
  readonly texts: readonly {
    readonly version: string
    /** '' if people texted a word. */
    readonly shown: string
    readonly people: number
    readonly since: string
  }[]
  readonly without_consent: WithoutConsent
  readonly withdrawn: number
}

/** The answer to `GET /api/campaigns/ID/progress`. */
export interface CampaignProgress {
  readonly status: CampaignState
  readonly begins_in_seconds: number
  readonly recipients_count: number
  readonly counts: Readonly<Record<Exclude<MessageState, 'received'>, number>>
  readonly canceled: number
  /** Counts of failed messages that were not yet resent. Leaves out messages to people who opted out. */
  readonly retriable: FailedCounts
  readonly segments_used: number
  readonly opt_outs: number
  readonly consent: CampaignProof | null
  /** Why occurrences of a reminder got no text. */
  readonly left_out?: readonly { readonly reason: string; readonly count: number }[]
  readonly replies: number
  readonly latest_replies: readonly {
    readonly id: string
    readonly from: string
    readonly body: string
    readonly created: string
  }[]
}

/** Whether a device has a text of it: only its name can still be changed. */
export const hasBegun = ({ counts }: Pick<CampaignProgress, 'counts'>): boolean =>
  counts.assigned + counts.sending + counts.sent + counts.delivered > 0

/** `held`: how many texts are due, but wait for a line or the end of quiet hours. */
export function computeShownCounts({ counts, canceled }: CampaignProgress, held = 0) {
  const failed = counts.failed - canceled
  const shown = moveHeld({ ...counts, failed, canceled }, held)
  return { counts: shown, done: counts.sent + counts.delivered + failed }
}

/** The name of a campaign, or the beginning of its text if it has none. */
export function makeTitle({
  name,
  body,
}: {
  readonly name: string
  readonly body: string
}): string {
  if (name) return name
  const [line = ''] = body.trim().split('\n')
  return line.length > 40 ? `${cutBetweenGraphemes(line, 39)}…` : line || t('Campaign')
}
