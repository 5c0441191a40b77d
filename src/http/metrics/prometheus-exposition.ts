import type { Metric } from 'prom-client'
import type { WorkerMember } from '../../platform/jobs/worker-member.ts'
import type { Figure, WorkerFigures, WorkerState } from '../../platform/jobs/worker-messages.ts'
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
    const figures = (await ofProcess.getMetricsAsJSON()) as unknown as Figure[]
    return [...(await readFigures(ofOne)), ...figures]
  }
  workers?.offer(own)
  return async () => {
    const counted = workers
      ? joinWorkerFigures(await workers.collect(), workers.states())
      : await own()
    return renderFigures([...(await readFigures(shared)), ...counted])
  }
}

const readFigures = (families: readonly Family[]): Promise<Figure[]> =>
  Promise.all(
    families.map(async ({ name, help, type, samples }) => {
      const values = [...(await samples())].map(({ suffix = '', ...one }) => ({
        ...one,
        metricName: name + suffix,
      }))
      return { name, help, type, aggregator: 'sum', values }
    }),
  )

async function renderFigures(figures: readonly Figure[]) {
  const { Registry } = await loadPrometheusOnce()
  const registry = new Registry()
  for (const figure of figures)
    registry.registerMetric({ name: figure.name, get: async () => figure } as unknown as Metric)
  return { type: registry.contentType, text: await registry.metrics() }
}

function joinWorkerFigures(
  all: readonly WorkerFigures[],
  states: readonly WorkerState[],
): Figure[] {
  const labelled = all.flatMap(({ worker, figures }) =>
    figures.map((figure) => {
      const labels = { worker: String(worker) }
      const values = figure.values.map((one) => ({ ...one, labels: { ...labels, ...one.labels } }))
      return { ...figure, values }
    }),
  )
  const merged = [...Map.groupBy(labelled, ({ name }) => name).values()].map((same) => ({
    ...same[0]!,
    values: same.flatMap(({ values }) => values),
  }))
  return [...makeStateFigures(states), ...merged]
}

function makeStateFigures(states: readonly WorkerState[]): Figure[] {
  const figure = (
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
    figure('up', '1 while the worker serves, else 0.', 'gauge', ({ state }) =>
      state === 'serving' ? 1 : 0,
    ),
    figure('restarts_total', restarts, 'counter', (state) => state.restarts),
  ]
}
