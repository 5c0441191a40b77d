import { computed, signal } from '@preact/signals'
import { formatNumber } from '../language/words.ts'
import type { Label } from './labels.ts'
import type { InboxView } from './record-types.ts'

/** A saved view with the number of its conversations. */
export interface SavedView extends InboxView {
  readonly labels: readonly string[]
  readonly count: number
}

/** The answer of `GET /api/account/inbox`: how many conversations each view has, and lists. */
export interface InboxAnswer {
  readonly [view: string]: number | readonly string[] | readonly Label[] | readonly SavedView[]
  readonly unread: number
  /** Numbers of new conversations that have opted out. */
  readonly opted_out: readonly string[]
  readonly labels: readonly Label[]
  readonly views: readonly SavedView[]
}

/** The server counts no further than a little above. */
const MOST = 999

/** Whether there may be more than a count says. */
export const isBounded = (count: number): boolean => count > MOST

/** A count as people read it: `999+` where there may be more. */
export const formatBounded = (count: number, most = MOST): string =>
  count > most ? `${formatNumber(most)}+` : formatNumber(count)

/** Counts up to 1,000, labels and saved views of the inbox; undefined until read. */
export const inboxAnswer = signal<InboxAnswer | undefined>(undefined)

/** How many conversations of the account are unread; 0 until read. */
export const unread = computed(() => inboxAnswer.value?.unread ?? 0)

/** How many unread conversations notify the person. The window's title shows this number. */
export const announced = signal(0)

/** How many notes mention the person since they last looked. Counted in both places beside the texts. */
export const mentioned = signal(0)
