import { useEffect } from 'preact/hooks'
import { describeHours } from '../../data/hours.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { ownHours } from '../../data/user-settings/own.ts'
import { HELD_FILTER } from '../../data/words/message-states.ts'
import { tn } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { makeCampaignFilter } from './messages-filter.ts'

const REFRESH_MS = 10_000

/** How many due texts of a campaign wait for the end of quiet hours, and for room on a line. */
export interface HeldTexts {
  readonly quiet: number
  readonly room: number
}

/** `pending`: how many texts have no device, for any reason. */
export function useHeldTexts(campaign: Campaign | undefined, pending = 0): HeldTexts {
  const quiet = useCount(campaign, 'quiet_hours', campaign?.quiet_hours ? pending : 0)
  return { quiet, room: useCount(campaign, 'room', pending) }
}

function useCount(campaign: Campaign | undefined, reason: string, pending: number): number {
  const ready = campaign !== undefined && pending > 0 && campaign.batches.length > 0
  const { total, reload } = useList<Message>('sms_messages', {
    filter: ready
      ? `(${makeCampaignFilter(campaign)}) && ${HELD_FILTER} && waiting_for = "${reason}"`
      : '',
    perPage: 1,
    fields: 'id',
    live: false,
    everyMs: ready ? REFRESH_MS : undefined,
    ready,
  })
  useEffect(() => {
    if (ready) void reload()
  }, [pending])
  return ready ? total : 0
}

/** Says what due texts of a campaign wait for. */
export const HeldNotices = ({ held: { quiet, room } }: { held: HeldTexts }) => (
  <>
    {quiet > 0 && (
      <Notice>
        {tn(
          '1 text waits for the end of quiet hours ({hours}).',
          '{count} texts wait for the end of quiet hours ({hours}).',
          quiet,
          { hours: ownHours.value ? describeHours(ownHours.value) : '–' },
        )}
      </Notice>
    )}
    {room > 0 && (
      <Notice>
        {tn(
          '1 text waits until a line has room.',
          '{count} texts wait until a line has room.',
          room,
        )}
      </Notice>
    )}
  </>
)
