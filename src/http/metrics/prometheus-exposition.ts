import type { Metric } from 'prom-client'
import type { WorkerMember } from '../../platform/jobs/worker-member.ts'
import type {
  CollectedMetric,
  WorkerMetrics,
  WorkerState,
} from '../../platform/jobs/worker-messages.ts'
import { listMetricFamilies } from './families.ts'
import type { Family, MetricsSource } from './family.ts'

/** prom-client, loaded at the first request, and its metrics of this process. */
let library: ReturnType<typeof loadPrometheus> | undefined
const loadPrometheusOnce = () => (library ??= loadPrometheus())

async function loadPrometheus() {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  return { Registry, ofProcess }
}

/** Returns a function that writes all workers' metrics in Prometheus' text format. */
export function makeExposition(subject: MetricsSource, workers?: WorkerMember) {
  const families = listMetricFamilies(subject)
  const shared = families.filter(({ isShared }) => isShared)
  const ofOne = families.filter(({ isShared }) => !isShared)
  const own = async () => {
    const { ofProcess } = await loadPrometheusOnce()
    const metrics = (await ofProcess.getMetricsAsJSON()) as unknown as CollectedMetric[]
    return [...(await readMetrics(ofOne)), ...metrics]
  }
  workers?.offer(own)
  return async () => {
    const counted = workers
      ? joinWorkerMetrics(await workers.collect(), workers.states())
      : await own()
    return renderMetrics([...(await readMetrics(shared)), ...counted])
  }
}

const readMetrics = (families: readonly Family[]): Promise<CollectedMetric[]> =>
  Promise.all(
    families.map(async ({ name, help, type, samples }) => {
      const values = [...(await samples())].map(({ suffix = '', ...one }) => ({
        ...one,
        metricName: name + suffix,
      }))
      return { name, help, type, aggregator: 'sum', values }
    }),
  )

async function renderMetrics(metrics: readonly CollectedMetric[]) {
  const { Registry } = await loadPrometheusOnce()
  const registry = new Registry()
  for (const metric of metrics)
    registry.registerMetric({ name: metric.name, get: async () => metric } as unknown as Metric)
  return { type: registry.contentType, text: await registry.metrics() }
}

function joinWorkerMetrics(
  all: readonly WorkerMetrics[],
  states: readonly WorkerState[],
): CollectedMetric[] {
  const labelled = all.flatMap(({ worker, metrics }) =>
    metrics.map((metric) => {
      const labels = { worker: String(worker) }
      const values = metric.values.map((one) => ({ ...one, labels: { ...labels, ...one.labels } }))
      return { ...metric, values }
    }),
  )
  const merged = [...Map.groupBy(labelled, ({ name }) => name).values()].map((same) => ({
    ...same[0]!,
    values: same.flatMap(({ values }) => values),
  }))
  return [...makeStateMetrics(states), ...merged]
}

function makeStateMetrics(states: readonly WorkerState[]): CollectedMetric[] {
  const describe = (
    name: string,
    help: string,
    type: string,
    value: (state: WorkerState) => number,
  ) => {
    const values = states.map((state) => ({
      labels: { worker: String(state.worker) },
      value: value(state),
    }))
    return { name: `pocketsms_worker_${name}`, help, type, aggregator: 'first', values }
  }
  const restarts = 'How often the worker ended without being told to, and was started again.'
  return [
    describe('up', '1 while the worker serves, else 0.', 'gauge', ({ state }) =>
      state === 'serving' ? 1 : 0,
    ),
    describe('restarts_total', restarts, 'counter', (state) => state.restarts),
  ]
}
