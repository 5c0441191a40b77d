import { effect } from '@preact/signals'
import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js'
import { theme } from '../../data/theme.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip)

export interface Series {
  readonly name: string
  readonly values: readonly number[]
}

export interface BarChart {
  /** Shows a bar for each label, stacked from the values of the series. */
  show(labels: readonly string[], series: readonly Series[]): void
  remove(): void
}

/** Dark or light, and the page on paper: both change the colours of the style sheets. */
const SCHEMES = ['(prefers-color-scheme: dark)', 'print']

/**
 * Makes a bar chart in `canvas`, with font, text and lines as its style says. `readColors` returns those of
 * the series: it is called again when the theme changes.
 */
export function makeBarChart(
  canvas: HTMLCanvasElement,
  readColors: () => readonly string[],
): BarChart {
  const readStyle = () => {
    const { color: text, borderTopColor: lines, fontFamily, fontSize } = getComputedStyle(canvas)
    return {
      text,
      lines,
      bars: readColors(),
      font: { family: fontFamily, size: Number.parseFloat(fontSize) },
    }
  }
  let style = readStyle()
  const chart = new Chart<'bar', number[], string>(canvas, {
    type: 'bar',
    data: { labels: [], datasets: [] },
    options: {
      animation: false,
      locale,
      backgroundColor: ({ datasetIndex }) => style.bars[datasetIndex],
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          stacked: true,
          grid: { display: false },
          ticks: { color: () => style.text, maxRotation: 0, autoSkipPadding: 24 },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          border: { display: false },
          grid: { color: () => style.lines, drawTicks: false },
          ticks: {
            color: () => style.text,
            precision: 0,
            maxTicksLimit: 5,
            padding: 8,
            callback: (value) => formatNumber(Number(value)),
          },
        },
      },
      plugins: {
        tooltip: {
          filter: ({ raw }) => raw !== 0,
          callbacks: {
            label: ({ dataset, parsed }) =>
              t('{name}: {text}', { name: dataset.label ?? '', text: formatNumber(parsed.y ?? 0) }),
          },
        },
      },
    },
  })
  const paint = () => {
    style = readStyle()
    chart.options.font = style.font
    chart.resize()
    chart.update()
  }
  const stopFollowing = effect(() => {
    theme.value
    paint()
  })
  const lists = SCHEMES.map((scheme) => matchMedia(scheme))
  for (const list of lists) list.addEventListener('change', paint)
  return {
    show(labels, series) {
      chart.data.labels = [...labels]
      chart.data.datasets = series.map(({ name, values }) => ({ label: name, data: [...values] }))
      paint()
    },
    remove() {
      stopFollowing()
      for (const list of lists) list.removeEventListener('change', paint)
      chart.destroy()
    },
  }
}
