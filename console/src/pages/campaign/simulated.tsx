import { useEffect } from 'preact/hooks'
import type { CampaignProgress } from '../../data/campaign-progress.ts'
import { matchAny } from '../../data/client.ts'
import type { Campaign, Device, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { tn } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { makeCampaignFilter } from './messages-filter.ts'

const MOST_DEVICES = 30

/** How many texts devices have or had. */
export const countGiven = ({ assigned, sending, sent, delivered }: CampaignProgress['counts']) =>
  assigned + sending + sent + delivered

/** How many texts simulated phones have, without canceled ones. Sends no request if the user has none. */
export function useSimulatedTexts(
  campaign: Campaign | undefined,
  progress: CampaignProgress | undefined,
): number {
  const { items: phones } = useList<Device>('devices', {
    filter: 'platform = "simulator"',
    perPage: MOST_DEVICES,
  })
  const devices = matchAny(
    'device',
    phones.map(({ id }) => id),
  )
  const isReady = devices !== '' && campaign !== undefined && campaign.batches.length > 0
  const { total, reload } = useList<Message>('sms_messages', {
    filter: isReady
      ? `(${makeCampaignFilter(campaign)}) && (${devices}) && status != "failed"`
      : '',
    perPage: 1,
    fields: 'id',
    live: false,
    ready: isReady,
  })
  const given = progress && countGiven(progress.counts)
  useEffect(() => {
    if (isReady) void reload()
  }, [given])
  return isReady ? total : 0
}

export const SimulatedNotice = ({ count }: { count: number }) => (
  <Notice kind="warning">
    {tn(
      '1 text of this campaign is with a simulated phone: nobody gets it.',
      '{count} texts of this campaign are with a simulated phone: nobody gets them.',
      count,
    )}
  </Notice>
)
