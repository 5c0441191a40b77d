import type { Bar } from './bars.ts'
import type { Sample } from './load.ts'
import type { Row } from './measure.ts'

const US = 'pocketsms'
const rate = (value: number) =>
  (value < 10 ? value.toFixed(1) : value.toFixed(0)).replace(/\B(?=(\d{3})+$)/g, ',')
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0)

/** Requests a second with p50 and p99 in milliseconds, and beside each other server our share of its rate. */
export function rateTable(rows: readonly Row[], names: readonly string[]): string {
  const others = names.filter((name) => name !== US)
  const head = ['requests/s (p50 / p99 ms)', US, ...others.flatMap((name) => [name, 'times'])]
  const body = rows.map(({ scenario, samples }) => {
    const ours = samples.get(US)
    const cells = others.flatMap((name) => {
      const theirs = samples.get(name)
      return [cell(theirs), ours && theirs ? times(ours.rate / theirs.rate) : '']
    })
    return [scenario.name, cell(ours), ...cells]
  })
  return table([head, ...body])
}

/** A server that answered nothing in time leaves nothing to divide by. */
const times = (ratio: number) => (Number.isFinite(ratio) ? ratio.toFixed(2) : '∞')

function cell(sample: Sample | undefined): string {
  if (!sample) return ''
  return sample.rate === 0 ? '0' : `${rate(sample.rate)} (${ms(sample.p50)} / ${ms(sample.p99)})`
}

/** What was asked for, what came, and whether that is enough. */
export function barTable(bars: readonly Bar[]): string {
  const rows = bars.map(({ work, bar, measured, reached, bare }) => [
    work,
    bar,
    measured,
    reached
      ? 'reached'
      : bare === undefined
        ? 'NOT REACHED'
        : `not reached; the bare server: ${bare}`,
  ])
  return table([['work', 'bar', 'measured', ''], ...rows])
}

/** Markdown, padded so that it reads well on a terminal too. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, i) => (row[i] ?? '').padEnd(width)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
