import type { CampaignState } from '../../data/records.ts'
import { Badge, type Tone } from '../status.tsx'

const STATES: Readonly<Record<CampaignState, readonly [tone: Tone, words: string]>> = {
  scheduled: ['calm', 'Scheduled'],
  sending: ['busy', 'Sending'],
  paused: ['warn', 'Paused'],
  canceled: ['calm', 'Canceled'],
  done: ['good', 'Done'],
  failed: ['bad', 'Failed'],
}

/** The state of a campaign. */
export const CampaignStatus = ({ status }: { status: CampaignState }) => {
  const [tone, words] = STATES[status]
  return <Badge tone={tone}>{words}</Badge>
}
