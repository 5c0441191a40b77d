import type { Store } from '../../engine/collections/catalog.ts'
import { cacheQuery } from '../../platform/tools/shared-query.ts'
import type { Traffic } from './group-requests.ts'

export interface MetricsSource {
  readonly store: Store
  readonly traffic: Traffic
  readonly clients: () => number
  /** Metrics that are the same in every process. */
  readonly shared: readonly Family[]
}

/** One value of a metric. `suffix`: which part of a histogram it is. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly suffix?: '_bucket' | '_sum' | '_count'
}

/** A Prometheus metric. It has no samples while its value is unknown. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Read from the database, so it is the same in every process. */
  readonly isShared?: true
  samples(): readonly Sample[] | Promise<readonly Sample[]>
}

const KEEP_MS = 1_000

type Figures = number | Readonly<Record<string, number>> | readonly Sample[] | null | undefined

function toSamples(figures: Figures, label: string): readonly Sample[] {
  if (Array.isArray(figures)) return figures
  if (typeof figures === 'number') return [{ labels: {}, value: figures }]
  return Object.entries(figures ?? {}).map(([name, value]) => ({
    labels: { [label]: name },
    value,
  }))
}

type Read = () => Figures | Promise<Figures>

export const makeCounter = (name: string, help: string, read: Read, label = 'state'): Family => ({
  name: `pocketsms_${name}`,
  help,
  type: 'counter',
  samples: async () => toSamples(await read(), label),
})
export const makeGauge = (...given: Parameters<typeof makeCounter>): Family => ({
  ...makeCounter(...given),
  type: 'gauge',
})

/** Returns a function that makes gauges with one `read` per KEEP_MS. If it fails, they have no samples. */
export function makeGaugeFactory<T>(read: () => Promise<T>) {
  const look = cacheQuery(read, KEEP_MS)
  return (name: string, help: string, pick: (figures: T) => Figures, label?: string): Family => {
    const pickKnown = async () => {
      const figures = await look().catch(() => undefined)
      return figures === undefined ? undefined : pick(figures)
    }
    return makeGauge(name, help, pickKnown, label)
  }
}
