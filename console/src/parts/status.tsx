import type { ComponentChildren } from 'preact'
import { isSimulated } from '../data/device/lines.ts'
import type { Device } from '../data/records.ts'
import { type Stated, stateOf, type Tone } from '../data/words/message-states.ts'
import { t } from '../language/words.ts'

/** A coloured word. The word alone carries the meaning. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** A badge for simulated devices; nothing for others. */
export const SimulatedBadge = ({ device }: { device: Device | undefined }) =>
  isSimulated(device) ? <Badge tone="warn">{t('Simulated')}</Badge> : null

/** The state of a message. */
export const MessageStatus = ({ message }: { message: Stated }) => {
  const [tone, words] = stateOf(message)
  return <Badge tone={tone}>{words}</Badge>
}
