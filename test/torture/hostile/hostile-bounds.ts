import type { Growth } from './meter.ts'
import type { Noticed } from './victim.ts'

/** What the victim may notice, in milliseconds: 99 of 100 requests and events, and the slowest. */
const [P99_MS, MAX_MS] = [250, 1_000]
/** On a slower machine nothing can be told. */
const MAX_SLACKNESS = 8
const MAX_RSS_GROWTH = 200 << 20
/**
 * Of the peak over all attacks, beside a server that has just begun its work: V8 gives back little of what it
 * once had.
 */
const MAX_RSS_GROWTH_OVER_ALL = 300 << 20
const MAX_TEMPORARY_GROWTH = 300 << 20

/** What was measured during an attack. */
export interface Measured {
  readonly noticed: Noticed
  readonly growth: Growth
}

/** What breaks a bound. `isSlow`: times alone do, by less than twice, which a busy machine can cause, too. */
export interface Verdict {
  readonly faults: readonly string[]
  readonly isSlow: boolean
}

export const megabytes = (bytes: number): number => Math.round(bytes / (1 << 20))

/** The time that a share of all is below, in whole milliseconds. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

/**
 * By how much a machine may be slower than the bounds ask for: 1 if the victim alone, without an attack, had
 * a p99 of at most half the bound. A machine that is slow without an attack is as slow with one.
 */
export function slacknessOf({ noticed }: Measured): number {
  const slackness = (2 * quantile(noticed.times, 0.99)) / P99_MS
  return Math.min(Math.max(1, slackness), MAX_SLACKNESS)
}

/** `slackness` multiplies the bounds of time. */
export function judgeMeasured({ noticed, growth }: Measured, slackness: number): Verdict {
  const [p99Ms, maxMs] = [P99_MS * slackness, MAX_MS * slackness]
  const [p99, max] = [quantile(noticed.times, 0.99), quantile(noticed.times, 1)]
  const slow = [
    ...(p99 > p99Ms ? [`p99 ${p99} ms`] : []),
    ...(max > maxMs ? [`a request took ${max} ms (${slowestOf(noticed)})`] : []),
  ]
  const failures = Object.entries(noticed.failures).map(([why, count]) => `${count} x ${why}`)
  const large = [
    ...(growth.rss > MAX_RSS_GROWTH ? [`memory grew by ${megabytes(growth.rss)} MB`] : []),
    ...(growth.temporary > MAX_TEMPORARY_GROWTH
      ? [`temporary files grew by ${megabytes(growth.temporary)} MB`]
      : []),
  ]
  const isSlow = slow.length > 0 && failures.length + large.length === 0 && p99 < 2 * p99Ms && max < 2 * maxMs
  return { faults: [...failures, ...slow, ...large], isSlow }
}

/** The same over all attacks together: what each of them leaves may add up. */
export function judgeAll(times: readonly number[], rssGrowth: number, slackness: number): string[] {
  const p99 = quantile(times, 0.99)
  return [
    ...(p99 > P99_MS * slackness ? [`all attacks: p99 ${p99} ms`] : []),
    ...(rssGrowth > MAX_RSS_GROWTH_OVER_ALL
      ? [`all attacks: memory grew by ${megabytes(rssGrowth)} MB`]
      : []),
  ]
}

const slowestOf = ({ slowest }: Noticed) => Object.entries(slowest).toSorted((a, b) => b[1] - a[1])[0]?.[0]
