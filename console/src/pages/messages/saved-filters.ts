import { pb } from '../../data/client.ts'
import { remembered } from '../../data/remembered.ts'
import { FAILED_FILTER } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'

export interface SavedFilter {
  readonly name: string
  readonly filter: string
}

function failedToday(): string {
  const start = new Date().setHours(0, 0, 0, 0)
  return pb.filter(`${FAILED_FILTER} && created >= {:start}`, { start: new Date(start) })
}

export const readyFilters = (): readonly SavedFilter[] => [
  { name: t('Failed today'), filter: failedToday() },
  { name: t('Still on the way'), filter: 'status = "pending" || status = "assigned" || status = "sending"' },
  { name: t('Outcome unknown'), filter: 'error_message ~ "Outcome unknown"' },
  { name: t('Came in since yesterday'), filter: 'message_type = "incoming" && created >= @yesterday' },
  { name: t('Long texts'), filter: 'segments > 3' },
  {
    name: t('Failed once, sent later'),
    filter: 'sms_events_via_message.status ?= "failed" && status != "failed"',
  },
  { name: t('Sent, never confirmed'), filter: 'status = "sent" && sent_at < @yesterday' },
]

export const savedFilters = remembered<readonly SavedFilter[]>('filters', [])

export function saveFilter(saved: SavedFilter): void {
  const others = savedFilters.value.filter(({ name }) => name !== saved.name)
  savedFilters.value = [...others, saved].sort((a, b) => a.name.localeCompare(b.name))
}

export function forgetFilter(name: string): void {
  savedFilters.value = savedFilters.value.filter((each) => each.name !== name)
}
