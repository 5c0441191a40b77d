import { useEffect, useRef, useState } from 'preact/hooks'
import { readNowMs } from '../../data/text/now.ts'
import { nameDay } from '../../data/text/relative-time.ts'
import { countKind, KINDS, type UsageDay } from '../../data/usage.ts'
import { t } from '../../language/words.ts'
import type { BarChart } from './bar-chart.ts'
import './plot.css'

/** A bar for each day, stacked by the outcome of the messages. Its code is loaded after the figures. */
export function Plot({
  days,
  readColors,
}: {
  days: readonly UsageDay[]
  /** Reads the color of each kind. */
  readColors: () => readonly string[]
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [chart, setChart] = useState<BarChart>()
  useEffect(() => {
    let made: BarChart | undefined
    let isGone = false
    const make = ({ makeBarChart }: typeof import('./bar-chart.ts')) => {
      if (isGone || !canvas.current) return
      made = makeBarChart(canvas.current, readColors)
      setChart(made)
    }
    import('./bar-chart.ts').then(make, () => {}) // without a connection: the table has the figures
    return () => {
      isGone = true
      made?.remove()
    }
  }, [])
  const names = days.map(({ day }) => nameDay(day, readNowMs()))
  useEffect(() => {
    const series = KINDS.map((kind) => ({
      name: kind.words,
      values: days.map((day) => countKind(day, kind)),
    }))
    chart?.show(names, series)
  }, [chart, days])
  return (
    <figure class="usage-plot">
      <canvas
        ref={canvas}
        role="img"
        aria-label={t('Messages a day, {first} to {last}. The table has the figures.', {
          first: names[0]!,
          last: names.at(-1)!,
        })}
      />
    </figure>
  )
}
