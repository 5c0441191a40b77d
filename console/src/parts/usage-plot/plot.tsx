import { readNowMs } from '../../data/text/now.ts'
import { nameDay } from '../../data/text/relative-time.ts'
import { countAllKinds, countKind, KINDS, type UsageDay } from '../../data/usage.ts'
import { formatNumber, t } from '../../language/words.ts'
import './plot.css'

/** SVG units: STEP is the width of a bar with its gap, BAR of the bar alone; HEIGHT is that of the plot. */
const STEP = 10
const BAR = 7
const HEIGHT = 1000

/** A bar for each day, stacked by the outcome of the messages. The table below the plot has the figures. */
export function Plot({ days }: { days: readonly UsageDay[] }) {
  const top = roundUp(Math.max(...days.map(countAllKinds)))
  const marks = [days[0], days[Math.floor(days.length / 2)], days.at(-1)]
  return (
    <figure class="usage-plot">
      <div class="usage-scale" aria-hidden="true">
        <span>{formatNumber(top)}</span>
        <span>{formatNumber(top / 2)}</span>
        <span>0</span>
      </div>
      <svg
        role="img"
        aria-label={t('Messages a day, {first} to {last}. The table has the figures.', {
          first: nameDay(days[0]!.day, readNowMs()),
          last: nameDay(days.at(-1)!.day, readNowMs()),
        })}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path
          class="usage-grid"
          d={[0, 0.5, 1].map((y) => `M0 ${y * HEIGHT}h${days.length * STEP}`).join('')}
        />
        {days.map((day, at) => (
          <Bar key={day.day} day={day} x={at * STEP + (STEP - BAR) / 2} top={top} />
        ))}
      </svg>
      <div class="usage-days" aria-hidden="true">
        {marks.map((day) => day && <span key={day.day}>{nameDay(day.day, readNowMs())}</span>)}
      </div>
    </figure>
  )
}

function Bar({ day, x, top }: { day: UsageDay; x: number; top: number }) {
  let y = HEIGHT
  const told = KINDS.map((kind) =>
    t('{name}: {text}', { name: kind.words, text: countKind(day, kind) }),
  ).join(', ')
  return (
    <g>
      <title>{`${nameDay(day.day, readNowMs())} · ${told}`}</title>
      <rect class="usage-room" x={x} y={0} width={BAR} height={HEIGHT} />
      {KINDS.map((kind) => {
        const height = (countKind(day, kind) / top) * HEIGHT
        y -= height
        return (
          <rect key={kind.id} class={`usage-${kind.id}`} x={x} y={y} width={BAR} height={height} />
        )
      })}
    </g>
  )
}

/** Rounds up to a multiple of 2 if `most` is below 100, of 20 below 1,000, of 200 below 10,000 and so on. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 2)))
  const step = power >= 10 ? power / 5 : 2
  return Math.max(2, Math.ceil(most / step) * step)
}
