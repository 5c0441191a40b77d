import { useEffect } from 'preact/hooks'
import { describeHours } from '../../data/hours.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { tn } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { makeFilter } from './messages-filter.ts'

const REFRESH_MS = 10_000

/** Says how many due texts of a campaign wait for the end of quiet hours. `pending`: how many wait at all. */
export function QuietTexts({ campaign, pending }: { campaign: Campaign; pending: number }) {
  const ready = pending > 0 && campaign.quiet_hours && campaign.batches.length > 0
  const { total, reload } = useList<Message>('sms_messages', {
    filter: `(${makeFilter(campaign)}) && status = "pending" && waiting_for = "quiet_hours"`,
    perPage: 1,
    fields: 'id',
    live: false,
    everyMs: ready ? REFRESH_MS : undefined,
    ready,
  })
  useEffect(() => {
    if (ready) void reload()
  }, [pending])
  if (!ready || total === 0) return null
  return (
    <Notice>
      {tn(
        '1 text waits for the end of quiet hours ({hours}).',
        '{count} texts wait for the end of quiet hours ({hours}).',
        total,
        { hours: ownHours.value ? describeHours(ownHours.value) : '–' },
      )}
    </Notice>
  )
}
