import type { Figure, WorkerFigures, WorkerState } from '../../platform/jobs/worker-messages.ts'

export function ofAllWorkers(all: readonly WorkerFigures[], states: readonly WorkerState[]): Figure[] {
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
  return [...stateFigures(states), ...merged]
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
