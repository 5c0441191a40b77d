import type { CampaignState } from '../../data/record-types.ts'
import type { State } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { StateBadge } from '../time.tsx'

const STATES: Readonly<Record<CampaignState, State>> = {
  scheduled: ['calm', t('Scheduled#campaign')],
  repeating: ['calm', t('Repeats')],
  sending: ['busy', t('Sending')],
  paused: ['warn', t('Paused')],
  canceled: ['calm', t('Canceled#campaign')],
  done: ['good', t('Done#campaign')],
  failed: ['bad', t('Failed#campaign')],
}

export const CampaignStatus = ({ status }: { status: CampaignState }) => (
  <StateBadge state={STATES[status]} />
)
