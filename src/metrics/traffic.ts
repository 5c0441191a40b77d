import { type Group, STREAMS } from './groups.ts'

/** Upper ends of the classes of durations, in seconds. */
export const BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Requests of one group and method. */
export interface Series {
  readonly group: Group
  readonly method: string
  readonly byStatus: Map<number, number>
  /** How many took as long as a class says, the last is for all beyond. Empty for streams. */
  readonly byDuration: Float64Array
  /** Of all durations. */
  seconds: number
}

/** Requests by group, method and status, with durations. 50 ns each, and 110 to find the group. */
export class Traffic {
  readonly #groups = new Map<Group, Map<string, Series>>()

  /** Counts a finished request. */
  count(group: Group, method: string, status: number, ms: number): void {
    const series = this.#seriesOf(group, METHODS.has(method) ? method : 'other')
    series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1)
    if (series.byDuration.length === 0) return
    const seconds = ms / 1000
    series.seconds += seconds
    let at = 0
    while (at < BUCKETS.length && seconds > BUCKETS[at]!) at++
    series.byDuration[at]!++
  }

  /** All that was counted. */
  *[Symbol.iterator](): Generator<Series> {
    for (const methods of this.#groups.values()) yield* methods.values()
  }

  #seriesOf(group: Group, method: string): Series {
    const methods = this.#groups.get(group) ?? new Map<string, Series>()
    this.#groups.set(group, methods)
    let series = methods.get(method)
    if (!series) {
      const byDuration = new Float64Array(group === STREAMS ? 0 : BUCKETS.length + 1)
      series = { group, method, byStatus: new Map(), byDuration, seconds: 0 }
      methods.set(method, series)
    }
    return series
  }
}
