import type { HookResult } from '../../data/webhooks/hooks.ts'
import { translateFault } from '../../data/words/fault-sentences.ts'
import type { Tone } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { Badge } from '../../parts/time.tsx'

const OUTCOMES: Readonly<Record<HookResult['outcome'], readonly [Tone, string, string?]>> = {
  sent: ['good', t('Sent')],
  waiting: [
    'warn',
    t('Waiting'),
    t('No phone can send now. The texts go out as soon as one can, within a day.'),
  ],
  repeated: ['calm', t('Repeated'), t('The same was sent a short time ago.')],
  resolved: [
    'calm',
    t('Resolved'),
    t('The call says that the problem is solved: this webhook sends no text then.'),
  ],
  skipped: [
    'calm',
    t('Left out'),
    t('The webhook sends no bodies like this one, or its text is empty.'),
  ],
  limited: [
    'warn',
    t('Too many'),
    t('One text at the end of the hour says how many more there were.'),
  ],
  refused: ['bad', t('Refused')],
  disabled: ['calm', t('Off'), t('The incoming webhook is off.')],
}

export const findReason = (outcome: HookResult['outcome']): string =>
  OUTCOMES[outcome][2] ?? OUTCOMES[outcome][1]

export function Outcome({ result: { outcome, error } }: { result: HookResult }) {
  const [tone, words, reason] = OUTCOMES[outcome]
  const why = error ? translateFault(error) : reason
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      {why && <p class="note breaks">{why}</p>}
    </>
  )
}
