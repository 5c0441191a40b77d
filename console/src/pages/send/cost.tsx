import { segmentsText } from '../../data/text/text-size.ts'
import type { Usage } from '../../data/usage.ts'
import { to } from '../../router.ts'
import type { Composition } from './composition.ts'
import type { Preview } from './use-preview.ts'

/** What it takes: people, segments, and what is left of the month's quota. */
export function Cost({
  preview,
  chosen,
  usage,
}: {
  preview: Preview | undefined
  chosen: Composition
  usage: Usage | undefined
}) {
  const people = preview?.recipients_count ?? chosen.recipients.filter(({ fault }) => !fault).length
  const optedOut = preview?.opted_out ?? 0
  const left = usage?.remaining
  const isShort = left !== null && left !== undefined && people - optedOut > left
  return (
    <div class={isShort ? 'send-cost wrong' : 'send-cost'} role="status">
      {people > 0 && (preview || chosen.groups.length === 0) ? (
        <strong>
          {people === 1 ? '1 person' : `${people.toLocaleString()} people`}
          {preview && `, ${segmentsText(preview.total_segments)}`}
        </strong>
      ) : (
        <span class="muted">{chosen.groups.length > 0 ? 'A text is missing' : 'Nobody to send to yet'}</span>
      )}
      {optedOut > 0 && <span>{optedOut.toLocaleString()} opted out, who will get nothing</span>}
      {usage && left !== null && left !== undefined && (
        <span>
          {isShort ? 'Only ' : ''}
          {left.toLocaleString()} of {usage.quota.toLocaleString()} messages{' '}
          <a href={to('/usage')}>left this month</a>
        </span>
      )}
    </div>
  )
}
