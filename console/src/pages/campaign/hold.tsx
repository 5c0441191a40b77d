import { useEffect, useState } from 'preact/hooks'
import type { CampaignProgress } from '../../data/campaign-progress.ts'
import { post } from '../../data/client.ts'
import type { Campaign } from '../../data/record-types.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { HoldNotice } from '../../parts/form/send-notices.tsx'
import { toast } from '../../parts/toast.tsx'

/** The longest countdown, in seconds. Campaigns that begin later show as scheduled. */
const MAX_SECONDS = 60

export function Hold({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const left = useCountdown(progress)
  const undo = useTask(async () => {
    await post(`/api/campaigns/${campaign.id}/cancel`)
    toast(t('Undone: nobody gets it'))
  })
  if (campaign.status !== 'scheduled' || left <= 0 || progress.begins_in_seconds > MAX_SECONDS) return null
  return <HoldNotice left={left} undo={undo} />
}

/** Whole seconds until a campaign begins, counted from the server's answer: browser clocks may be wrong. */
function useCountdown(progress: CampaignProgress): number {
  const [endMs, setEndMs] = useState(0)
  useEffect(() => setEndMs(performance.now() + progress.begins_in_seconds * 1000), [progress])
  return useSecondsLeft(endMs)
}
