import type { Figure, FigureValue, WorkerFigures, WorkerState } from '../workers/messages.ts'

/** What all workers count, each value with the number of its worker, and how the workers do. */
export function ofAllWorkers(all: readonly WorkerFigures[], states: readonly WorkerState[]): Figure[] {
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
  const each = (value: (state: WorkerState) => number): FigureValue[] =>
    states.map((state) => ({ labels: { worker: String(state.worker) }, value: value(state) }))
  return [
    {
      name: 'pocketsms_worker_up',
      help: '1 while the worker serves, else 0.',
      type: 'gauge',
      aggregator: 'first',
      values: each(({ state }) => (state === 'serving' ? 1 : 0)),
    },
    {
      name: 'pocketsms_worker_restarts_total',
      help: 'How often the worker ended without being told to, and was started again.',
      type: 'counter',
      aggregator: 'first',
      values: each(({ restarts }) => restarts),
    },
  ]
}
