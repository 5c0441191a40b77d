import { useEffect, useRef } from 'preact/hooks'
import { nameDevice } from '../../data/device/lines.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { makeCampaignFilter } from './messages-filter.ts'

const MOST_TEXTS = 30

/** The names of devices that have not yet fetched texts of a campaign. `assigned`: how many such texts. */
export function useWaitingPhones(campaign: Campaign, assigned: number): readonly string[] {
  const isReady = assigned > 0 && campaign.batches.length > 0
  const { items, reload } = useList<Message>('sms_messages', {
    filter: `(${makeCampaignFilter(campaign)}) && status = "assigned"`,
    perPage: MOST_TEXTS,
    sort: 'created',
    expand: 'device',
    isCounted: false,
    live: false,
    ready: isReady,
  })
  const wasReady = useRef(false)
  useEffect(() => {
    // the list is read anyway when it becomes ready
    if (isReady && wasReady.current) void reload()
    wasReady.current = isReady
  }, [assigned, isReady])
  const names = items.map(({ expand }) => nameDevice(expand?.device)).filter(Boolean)
  return isReady ? [...new Set(names)] : []
}
