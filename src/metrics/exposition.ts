import type { Metric, Registry } from 'prom-client'
import type { WorkerMember } from '../workers/member.ts'
import type { Figure } from '../workers/messages.ts'
import { type Family, familiesOf, type MetricsSource } from './families.ts'
import { ofAllWorkers } from './worker-figures.ts'

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

/** Metrics in Prometheus' text format, of all workers by the label `worker`. Only this knows prom-client. */
export function expositionOf(subject: MetricsSource, workers?: WorkerMember): () => Promise<Exposition> {
  const families = familiesOf(subject)
  const own = async () => [
    ...(await figuresOf(families.filter(({ isShared }) => !isShared))),
    ...(await processFigures()),
  ]
  workers?.offer(own)
  return async () => {
    const counted = workers ? ofAllWorkers(await workers.collect(), workers.states) : await own()
    return render([...(await figuresOf(families.filter(({ isShared }) => isShared))), ...counted])
  }
}

async function processFigures(): Promise<Figure[]> {
  library ??= load()
  return (await (await library).ofProcess.getMetricsAsJSON()) as unknown as Figure[]
}

const figuresOf = (families: readonly Family[]): Promise<Figure[]> => Promise.all(families.map(figureOf))

async function figureOf({ name, help, type, samples }: Family): Promise<Figure> {
  const values = [...(await samples())].map(({ labels, value, suffix = '' }) => ({
    labels,
    value,
    metricName: name + suffix,
  }))
  return { name, help, type, aggregator: 'sum', values }
}

/** Adapts our own counts to prom-client, which cannot take over totals. */
async function render(figures: readonly Figure[]): Promise<Exposition> {
  library ??= load()
  const registry = (await library).create()
  for (const figure of figures)
    registry.registerMetric({ name: figure.name, get: async () => figure } as unknown as Metric)
  return { type: registry.contentType, text: await registry.metrics() }
}
