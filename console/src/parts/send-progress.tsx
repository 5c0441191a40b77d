import type { ComponentChildren } from 'preact'
import { MESSAGE_STATES, type ShownState } from '../data/words/message-states.ts'
import { t } from '../language/words.ts'
import { Card } from './page.tsx'
import { OUTGOING_STATES, StateCounts } from './time.tsx'
import './send-progress.css'

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
      {OUTGOING_STATES.map((state) => (
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
