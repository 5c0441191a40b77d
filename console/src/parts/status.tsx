import type { ComponentChildren } from 'preact'
import { isSimulated } from '../data/device/lines.ts'
import type { Device } from '../data/records.ts'
import { type ShownState, stateFilter } from '../data/words/failure-reasons.ts'
import { MESSAGE_STATES, type Stated, stateOf, type Tone } from '../data/words/message-states.ts'
import { formatNumber, t } from '../language/words.ts'
import { to } from '../router.ts'

/** A coloured word. The word alone carries the meaning. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** A badge for simulated devices; nothing for others. */
export const SimulatedBadge = ({ device }: { device: Device | undefined }) =>
  isSimulated(device) ? <Badge tone="warn">{t('Simulated')}</Badge> : null

export const OUTGOING_STATES = [
  ...(['pending', 'assigned', 'sending', 'sent', 'delivered'] as const),
  ...(['failed', 'canceled'] as const),
] as const

/** How many messages of a filter have each state, with links to them. `pending`: another word for it. */
export const StateCounts = ({
  counts,
  filter,
  pending,
}: {
  counts: Readonly<Partial<Record<ShownState, number>>>
  filter: string
  pending?: string | undefined
}) => (
  <div class="row" role="status">
    {OUTGOING_STATES.filter((state) => counts[state]).map((state) => {
      const [tone, words] = MESSAGE_STATES[state]
      return (
        <a
          key={state}
          class="state-count"
          href={to('/messages', { filter: `${filter} && ${stateFilter(state)}` })}
        >
          <Badge tone={tone}>
            {formatNumber(counts[state] ?? 0)} {(state === 'pending' && pending) || words.toLowerCase()}
          </Badge>
        </a>
      )
    })}
  </div>
)

/** The state of a message. */
export const MessageStatus = ({ message }: { message: Stated }) => {
  const [tone, words] = stateOf(message)
  return <Badge tone={tone}>{words}</Badge>
}
