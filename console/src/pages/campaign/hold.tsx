import { useEffect, useState } from 'preact/hooks'
import type { CampaignProgress } from '../../data/campaigns.ts'
import { pb } from '../../data/client.ts'
import type { Campaign } from '../../data/records.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

const STEP_MS = 250
/** A campaign that begins later than that is scheduled, not held. */
const MAX_SECONDS = 60

/** "Sending in 8 s", and the button that takes it back. */
export function Hold({ campaign, progress }: { campaign: Campaign; progress: CampaignProgress }) {
  const left = useCountdown(progress)
  const undo = useTask(async () => {
    await pb.send(`/api/campaigns/${campaign.id}/cancel`, { method: 'POST' })
    toast(t('Undone: nobody gets it'))
  })
  if (campaign.status !== 'scheduled' || left <= 0 || progress.begins_in_seconds > MAX_SECONDS) return null
  return (
    <Notice kind="warning">
      <span class="campaign-hold">
        <strong role="timer">{t('Sending in {left} s', { left })}</strong>
        <Button icon="again" busy={undo.busy} onClick={() => void undo.run()}>
          {t('Undo')}
        </Button>
      </span>
      {undo.fault && <p role="alert">{undo.fault.message}</p>}
    </Notice>
  )
}

/** Whole seconds until it begins, from what the server said: clocks of browsers are wrong. */
function useCountdown(progress: CampaignProgress): number {
  const [endMs, setEndMs] = useState(0)
  const [nowMs, setNowMs] = useState(performance.now())
  useEffect(() => setEndMs(performance.now() + progress.begins_in_seconds * 1000), [progress])
  useEffect(() => {
    const timer = setInterval(() => setNowMs(performance.now()), STEP_MS)
    return () => clearInterval(timer)
  }, [])
  return Math.ceil((endMs - nowMs) / 1000)
}
