import { useEffect } from 'preact/hooks'
import type { CampaignProgress } from '../../data/campaign-progress.ts'
import { matchAny } from '../../data/client.ts'
import type { Campaign, Device, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { tn } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { makeFilter } from './messages-filter.ts'

const MOST_DEVICES = 30

/** Says how many texts of a campaign simulated phones sent. Sends no request if the user has none. */
export function Simulated({
  campaign,
  progress,
}: {
  campaign: Campaign
  progress: CampaignProgress
}) {
  const { items: phones } = useList<Device>('devices', {
    filter: 'platform = "simulator"',
    perPage: MOST_DEVICES,
  })
  const devices = matchAny(
    'device',
    phones.map(({ id }) => id),
  )
  const isReady = devices !== '' && campaign.batches.length > 0
  const { total, reload } = useList<Message>('sms_messages', {
    filter: `(${makeFilter(campaign)}) && (${devices})`,
    perPage: 1,
    fields: 'id',
    live: false,
    ready: isReady,
  })
  const { assigned, sending, sent, delivered } = progress.counts
  const given = assigned + sending + sent + delivered
  useEffect(() => {
    if (isReady) void reload()
  }, [given])
  if (total === 0) return null
  return (
    <Notice kind="warning">
      {tn(
        '1 text of this campaign is with a simulated phone: nobody gets it.',
        '{count} texts of this campaign are with a simulated phone: nobody gets them.',
        total,
      )}
    </Notice>
  )
}
