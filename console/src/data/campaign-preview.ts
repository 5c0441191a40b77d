import type { WithoutConsent } from './campaign-progress.ts'
import type { Estimate } from './cost-estimate.ts'

interface SampleText {
  readonly to: string
  readonly body: string
  readonly segments: number
}

/** A row of a list that gets no text, and why. */
export interface LeftOutRow {
  readonly line: number
  readonly to: string
  readonly reason: string
}

/** One of the next texts of a reminder, or why it would be left out. */
export interface NextReminder {
  readonly record: string
  readonly to: string
  readonly name: string
  readonly date: string
  readonly leaves_at: string
  readonly body: string
  readonly reason: string
}

/** The answer of `POST /api/campaigns/preview`. */
export interface CampaignPreview {
  readonly recipients_count: number
  readonly segments: number
  readonly last_leaves_at: string
  readonly estimate: Estimate | null
  readonly first: SampleText
  /** Up to three people: the longest text first, then the shortest, whose values are empty. */
  readonly samples: readonly SampleText[]
  readonly left_out: { readonly count: number; readonly rows: readonly LeftOutRow[] }
  readonly without_consent: WithoutConsent
  readonly missing?: readonly string[]
  readonly reminders?: readonly NextReminder[]
}
