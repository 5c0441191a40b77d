import type { Message, Note } from '../../../data/record-types.ts'
import { parseDate } from '../../../data/text/local-time.ts'
import { readTime } from '../../../data/text/message-time.ts'
import { chooseShownState } from '../../../data/words/message-states.ts'
import type { ThreadTexts } from './use-thread.ts'

/** Neighboring texts of one sender, at most this far apart, form a group. Its last text shows its time. */
const GROUP_MS = 5 * 60_000
export interface Entry {
  readonly record: Message | Note
  readonly isNote: boolean
  readonly at: string
}

export const isFoundText = (at: string, { record }: Entry) => at.endsWith(`/${record.id}`)

/** Merges texts and notes by time, scheduled texts last. Leaves out notes from times not loaded yet. */
export function mergeEntries(
  { texts, hasOlder, hasNewer }: ThreadTexts,
  notes: readonly Note[],
): Entry[] {
  const first = hasOlder ? (texts.at(-1)?.created ?? '') : ''
  const last = hasNewer ? (texts[0]?.created ?? '') : '~'
  return [
    ...texts.map((record) => ({ record, isNote: false, at: readTime(record) })),
    ...notes
      .filter(({ created }) => created >= first && created <= last)
      .map((record) => ({ record, isNote: true, at: record.created })),
  ].sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
}

/** Whether two neighbours are texts of one sender and close in time. A canceled text shows its own state. */
export function isGroup(a: Entry, b: Entry | undefined): boolean {
  if (!b || a.isNote || b.isNote || parseDate(b.at) - parseDate(a.at) > GROUP_MS) return false
  const [one, other] = [a.record as Message, b.record as Message]
  if ([one, other].some((text) => chooseShownState(text) === 'canceled')) return false
  return one.message_type === other.message_type && one.sent_by === other.sent_by
}
