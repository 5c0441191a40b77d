import type { CampaignState } from '../../data/record-types.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { Badge } from '../time.tsx'

const STATES: Readonly<Record<CampaignState, readonly [tone: Tone, words: string]>> = {
  scheduled: ['calm', t('Scheduled')],
  repeating: ['calm', t('Repeats')],
  sending: ['busy', t('Sending')],
  paused: ['warn', t('Paused')],
  canceled: ['calm', t('Canceled')],
  done: ['good', t('Done')],
  failed: ['bad', t('Failed')],
}

export const CampaignStatus = ({ status }: { status: CampaignState }) => {
  const [tone, words] = STATES[status]
  return <Badge tone={tone}>{words}</Badge>
}
