import { MESSAGE_STATES } from '../../data/words/message-states.ts'
import { Moment } from './moment.tsx'
import type { Step } from './steps.ts'

/** The steps of a message below each other, each with its time. */
export const TimeLine = ({ steps }: { steps: readonly Step[] }) => (
  <ol class="message-line">
    {steps.map(({ id, state, words, at, detail }) => (
      <li key={id} class={MESSAGE_STATES[state][0]}>
        <span class="message-step">{words}</span>
        <Moment at={at} />
        {detail && <span class="message-detail">{detail}</span>}
      </li>
    ))}
  </ol>
)
