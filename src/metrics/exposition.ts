import type { Metric, Registry } from 'prom-client'
import { type Family, familiesOf, type MetricsSource } from './families.ts'

/** Text that Prometheus reads, and its content type. */
export interface Exposition {
  readonly type: string
  readonly text: string
}

/** prom-client, loaded for the first that asks, with what it says of this process. */
let library: Promise<{ create: () => Registry; ofProcess: Registry }> | undefined

async function load(): Promise<{ create: () => Registry; ofProcess: Registry }> {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  return { create: () => new Registry(), ofProcess }
}

/** Answers a server's metrics in Prometheus' text format. The only file that knows prom-client. */
export function expositionOf(subject: MetricsSource): () => Promise<Exposition> {
  const families = familiesOf(subject)
  let own: Registry | undefined
  return async () => {
    library ??= load()
    const { create, ofProcess } = await library
    own ??= registryOf(families, create())
    return { type: own.contentType, text: `${await own.metrics()}\n${await ofProcess.metrics()}` }
  }
}

/**
 * Our counts are numbers already, which its own counters and histograms could not take over: it is given what
 * it asks of any metric, a name and values.
 */
function registryOf(families: readonly Family[], registry: Registry): Registry {
  for (const { name, help, type, samples } of families) {
    const get = async () => ({
      name,
      help,
      type,
      aggregator: 'sum',
      values: [...(await samples())].map(({ labels, value, suffix = '' }) => ({
        labels,
        value,
        metricName: name + suffix,
      })),
    })
    registry.registerMetric({ name, get } as unknown as Metric)
  }
  return registry
}
