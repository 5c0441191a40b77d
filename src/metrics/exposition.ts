import type { Metric, Registry } from 'prom-client'
import type { Figure, FigureValue, WorkerFigures, WorkerMember, WorkerState } from '../workers/member.ts'
import { type Family, familiesOf, type MetricsSource } from './families.ts'

/** prom-client, loaded at the first request, and its metrics of this process. */
let library: Promise<{ create: () => Registry; ofProcess: Registry }> | undefined

async function load(): Promise<{ create: () => Registry; ofProcess: Registry }> {
  const { Registry, collectDefaultMetrics } = (await import('prom-client')).default
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  return { create: () => new Registry(), ofProcess }
}

/** All workers' metrics in Prometheus' text format. Only this file uses prom-client. */
export function expositionOf(subject: MetricsSource, workers?: WorkerMember) {
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

/** Passes figures as metrics of their own kind: prom-client cannot set the total of a counter. */
async function render(figures: readonly Figure[]) {
  library ??= load()
  const registry = (await library).create()
  for (const figure of figures)
    registry.registerMetric({ name: figure.name, get: async () => figure } as unknown as Metric)
  return { type: registry.contentType, text: await registry.metrics() }
}

/** The metrics of all workers with the label `worker`, and the workers' states. */
function ofAllWorkers(all: readonly WorkerFigures[], states: readonly WorkerState[]): Figure[] {
  const byName = new Map<string, { readonly figure: Figure; readonly values: FigureValue[] }>()
  for (const { worker, figures } of all)
    for (const figure of figures) {
      const known = byName.get(figure.name) ?? { figure, values: [] }
      byName.set(figure.name, known)
      for (const value of figure.values)
        known.values.push({ ...value, labels: { worker: String(worker), ...value.labels } })
    }
  return [
    ...stateFigures(states),
    ...[...byName.values()].map(({ figure, values }) => ({ ...figure, values })),
  ]
}

function stateFigures(states: readonly WorkerState[]): Figure[] {
  const figure = (name: string, help: string, type: string, value: (state: WorkerState) => number) => {
    const values = states.map((state) => ({ labels: { worker: String(state.worker) }, value: value(state) }))
    return { name: `pocketsms_worker_${name}`, help, type, aggregator: 'first', values }
  }
  const restarts = 'How often the worker ended without being told to, and was started again.'
  return [
    figure('up', '1 while the worker serves, else 0.', 'gauge', ({ state }) => (state === 'serving' ? 1 : 0)),
    figure('restarts_total', restarts, 'counter', (state) => state.restarts),
  ]
}
