import type { ComponentChildren } from 'preact'
import { MESSAGE_STATES, type ShownState } from '../data/words/message-states.ts'
import { t } from '../language/words.ts'
import { Card } from './page.tsx'
import { OUTGOING_STATES, StateCounts } from './time.tsx'
import './send-progress.css'

/** States in the order of the bar: what is done first, so that it fills from the left. */
const FILLED = ['good', 'bad', 'busy']
const place = (state: (typeof OUTGOING_STATES)[number]) => {
  const at = FILLED.indexOf(MESSAGE_STATES[state][0])
  return at < 0 || state === 'assigned' ? FILLED.length : at
}
const BAR_STATES = OUTGOING_STATES.toSorted((one, other) => place(one) - place(other))

/** How many texts of a send or campaign are done, as a number, a bar and counts by state. */
export const SendProgress = ({
  done,
  total,
  counts,
  filter,
  words,
  children,
}: {
  done: number
  total: number
  counts: Readonly<Partial<Record<ShownState, number>>>
  /** Finds the messages. */
  filter: string
  /** Other words for some states. */
  words?: Readonly<Partial<Record<ShownState, string>>>
  children?: ComponentChildren
}) => (
  <Card title={t('Progress')}>
    <p class="muted">{t('{count} of {total} done', { count: done, total })}</p>
    <div class="send-progress" aria-hidden="true">
      {BAR_STATES.map((state) => (
        <span
          key={state}
          class={state === 'assigned' ? '' : MESSAGE_STATES[state][0]}
          style={{ flexGrow: counts[state] ?? 0 }}
        />
      ))}
    </div>
    <StateCounts counts={counts} filter={filter} words={words} />
    {children}
  </Card>
)
