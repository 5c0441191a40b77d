import type { Metric } from 'prom-client'
import type { WorkerMember } from '../../platform/jobs/worker-member.ts'
import type { Figure } from '../../platform/jobs/worker-messages.ts'
import { familiesOf } from './families.ts'
import type { Family, MetricsSource } from './family.ts'
import { ofAllWorkers } from './worker-figures.ts'

/** prom-client, loaded at the first request, and its metrics of this process. */
let library: ReturnType<typeof load> | undefined
const prometheus = () => (library ??= load())

async function load() {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  return { Registry, ofProcess }
}

/** Returns a function that writes all workers' metrics in Prometheus' text format. */
export function expositionOf(subject: MetricsSource, workers?: WorkerMember) {
  const families = familiesOf(subject)
  const shared = families.filter(({ isShared }) => isShared)
  const ofOne = families.filter(({ isShared }) => !isShared)
  const own = async () => {
    const { ofProcess } = await prometheus()
    const figures = (await ofProcess.getMetricsAsJSON()) as unknown as Figure[]
    return [...(await figuresOf(ofOne)), ...figures]
  }
  workers?.offer(own)
  return async () => {
    const counted = workers ? ofAllWorkers(await workers.collect(), workers.states()) : await own()
    return render([...(await figuresOf(shared)), ...counted])
  }
}

const figuresOf = (families: readonly Family[]): Promise<Figure[]> =>
  Promise.all(
    families.map(async ({ name, help, type, samples }) => {
      const values = [...(await samples())].map(({ suffix = '', ...one }) => ({
        ...one,
        metricName: name + suffix,
      }))
      return { name, help, type, aggregator: 'sum', values }
    }),
  )

async function render(figures: readonly Figure[]) {
  const { Registry } = await prometheus()
  const registry = new Registry()
  for (const figure of figures)
    registry.registerMetric({ name: figure.name, get: async () => figure } as unknown as Metric)
  return { type: registry.contentType, text: await registry.metrics() }
}
