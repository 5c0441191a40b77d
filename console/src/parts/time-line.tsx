import type { ComponentChildren } from 'preact'
import { parseDate } from '../data/text/local-time.ts'
import { locale } from '../language/language.ts'
import { Time } from './time.tsx'
import type { Step } from './time-line-step.ts'
import './time-line.css'

/** Steps one below the other, each with its time and details. */
export const TimeLine = ({ steps }: { steps: readonly Step<ComponentChildren>[] }) => (
  <ol class="time-line">
    {steps.map(({ id, tone, words, at, detail }) => (
      <li key={id} class={tone}>
        <span class="time-line-step">{words}</span>
        <Moment at={at} />
        {detail && <div class="time-line-detail">{detail}</div>}
      </li>
    ))}
  </ol>
)

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

/** An instant to the second, and how long ago that is. Nothing for an empty date. */
export function Moment({ at }: { at: string }) {
  const ms = parseDate(at)
  if (Number.isNaN(ms)) return null
  return (
    <span class="time-line-moment">
      {exact.format(ms)}{' '}
      <span class="muted">
        (<Time at={at} />)
      </span>
    </span>
  )
}
