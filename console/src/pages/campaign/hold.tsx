import { useEffect, useState } from 'preact/hooks'
import type { CampaignProgress } from '../../data/campaign-progress.ts'
import { postRequest } from '../../data/client.ts'
import type { Campaign } from '../../data/record-types.ts'
import { useSecondsLeft } from '../../data/use/use-seconds-left.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { HoldNotice } from '../../parts/form/send-notices.tsx'
import { showToast } from '../../parts/toast.tsx'

/** The longest countdown, in seconds. Campaigns that begin later show as scheduled. */
const MAX_SECONDS = 60

/** Counts down to the begin of a campaign, with a button that cancels it. */
export function Hold({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const left = useCountdown(progress)
  const undo = useTask(async () => {
    await postRequest(`/api/campaigns/${campaign.id}/cancel`)
    showToast(t('Undone: nobody gets it'))
  })
  if (campaign.status !== 'scheduled' || left <= 0 || progress.begins_in_seconds > MAX_SECONDS)
    return null
  return <HoldNotice left={left} undo={undo} />
}

/** Whole seconds until a campaign begins, counted from the server's answer: browser clocks may be wrong. */
function useCountdown(progress: CampaignProgress): number {
  const [endMs, setEndMs] = useState(0)
  useEffect(() => setEndMs(performance.now() + progress.begins_in_seconds * 1000), [progress])
  return useSecondsLeft(endMs)
}
