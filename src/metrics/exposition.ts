import type { Metric } from 'prom-client'
import { readState } from '../backup/state.ts'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { planCount } from '../filter/compile.ts'
import { readLineFigures } from '../sms/line-figures.ts'
import { cachedQuery } from '../tools/shared-query.ts'
import { webhookLag } from '../webhooks/lease.ts'
import { readJobFigures } from '../work/jobs.ts'
import type { Figure, WorkerFigures, WorkerMember, WorkerState } from '../work/processes.ts'
import { counts } from './counts.ts'
import { countLowBatteries, type Depth, type Queue, readDevices, readDisk, readQueue } from './readiness.ts'
import { BUCKETS, type Series, type Traffic } from './traffic.ts'

interface MetricsSource {
  readonly store: Store
  readonly traffic: Traffic
  readonly clients: () => number
  readonly config: Pick<Config, 'deviceOnlineSeconds' | 'databaseUrl' | 'dataDir'>
}

/** One value of a metric. `suffix`: which part of a histogram it is. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly suffix?: '_bucket' | '_sum' | '_count'
}

/** A Prometheus metric. It has no samples while its value is unknown. */
interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Read from the database, so it is the same in every process. */
  readonly isShared?: true
  samples(): readonly Sample[] | Promise<readonly Sample[]>
}

const KEEP_MS = 1_000

type Figures = number | Readonly<Record<string, number>> | readonly Sample[] | null | undefined

function samplesOf(figures: Figures, label: string): readonly Sample[] {
  if (Array.isArray(figures)) return figures
  if (typeof figures === 'number') return [{ labels: {}, value: figures }]
  return Object.entries(figures ?? {}).map(([name, value]) => ({ labels: { [label]: name }, value }))
}

type Read = () => Figures | Promise<Figures>

const counter = (name: string, help: string, read: Read, label = 'state'): Family => ({
  name: `pocketsms_${name}`,
  help,
  type: 'counter',
  samples: async () => samplesOf(await read(), label),
})
const gauge = (...given: Parameters<typeof counter>): Family => ({ ...counter(...given), type: 'gauge' })

/** All metrics of a server except those of Node. docs/operations.md explains them. */
function familiesOf(subject: MetricsSource): Family[] {
  const { store, traffic, clients } = subject
  const { accepted, refused, claims, reports, wakes, filter, events, logs, overLimits, jobFailures } = counts
  return [
    counter('http_requests_total', 'Requests that are over.', () => [...traffic].flatMap(requestSamples)),
    {
      name: 'pocketsms_http_request_duration_seconds',
      help: 'How long requests took; event streams are not among them.',
      type: 'histogram',
      samples: () => [...traffic].flatMap(durationSamples),
    },
    counter('messages_accepted_total', 'Messages accepted.', () => accepted.messages),
    counter('accept_commits_total', 'Commits that accepted messages.', () => accepted.commits),
    counter('sends_refused_total', 'Sends refused, by the code of the answer.', () => refused, 'code'),
    counter('claims_total', 'Claims of devices.', () => claims.asked),
    counter('messages_claimed_total', 'Messages handed to devices.', () => claims.messages),
    counter('reports_total', 'Reports of devices, by result.', () => reports, 'result'),
    counter('wakes_total', 'Wake-ups of devices, by the way they took.', () => wakes, 'way'),
    ...sharedFamilies(subject).map((family) => ({ ...family, isShared: true }) as const),
    counter('job_failures_total', 'Runs of background jobs that failed, by kind.', () => jobFailures, 'kind'),
    ...replicaFamilies(subject),
    counter('filter_compilations_total', 'Filters and rules by cache hit or miss.', () => filter, 'cache'),
    gauge('filter_cache_entries', 'Compiled filters and rules that are kept.', planCount),
    gauge('realtime_clients', 'Open realtime connections.', clients),
    counter('realtime_events_total', 'Events written to realtime connections.', () => events.sent),
    counter('logs_total', 'Requests for the table of logs, by what became of them.', () => logs, 'outcome'),
    gauge('client_statements', 'Statements whose shape a client chose, by state.', () => store.db.clientUse),
    counter('over_limits_total', 'Work refused with 429 or 503, by the limit.', () => overLimits, 'limit'),
    gauge('database_connections', 'Connections of the pool by what they do.', () => store.db.use),
  ]
}

/** Returns a function that makes gauges with one `read` per KEEP_MS. If it fails, they have no samples. */
function gaugesOf<T>(read: () => Promise<T>) {
  const look = cachedQuery(read, KEEP_MS)
  return (name: string, help: string, pick: (figures: T) => Figures, label?: string): Family => {
    const pickKnown = async () => {
      const figures = await look().catch(() => undefined)
      return figures === undefined ? undefined : pick(figures)
    }
    return gauge(name, help, pickKnown, label)
  }
}

function sharedFamilies({ store, config }: MetricsSource): Family[] {
  const queue = gaugesOf(() => readQueue(store))
  const depths = (name: keyof Depth) => (states: Queue) =>
    Object.fromEntries(Object.entries(states).map(([state, depth]) => [state, depth[name]]))
  const devices = gaugesOf(() => readDevices(store, config.deviceOnlineSeconds))
  const lowBatteries = gaugesOf(() => countLowBatteries(store))
  const lines = gaugesOf(() => readLineFigures(store))
  const webhooks = gaugesOf(() => webhookLag(store))
  const jobs = gaugesOf(() => readJobFigures(store.db))
  const backups = gaugesOf(() => readState(store.db))
  const disk = gaugesOf(() => readDisk(config))
  const ageOf = (at: string) => (Date.now() - Date.parse(at.replace(' ', 'T'))) / 1000
  return [
    queue('queue_messages', 'Unfinished messages of all nodes, by state.', depths('messages')),
    queue('queue_due_messages', 'Of these, those whose time has come.', depths('due')),
    queue('queue_oldest_seconds', 'How long the oldest due one waits.', depths('oldestSeconds')),
    devices('devices', 'Devices of all accounts, by state.', (states) => states),
    lowBatteries('devices_low_battery', 'Enabled devices below 15 % that are not charging.', (low) => low),
    lines('lines', 'Lines that can send, by what they have used of their limits.', (states) => ({
      ...states,
    })),
    webhooks(
      'webhook_deliveries_pending',
      'Webhook deliveries of all nodes that are not over.',
      (lag) => lag.pending,
    ),
    webhooks(
      'webhook_lag_seconds',
      'How long the delivery that is due first waits.',
      (lag) => lag.oldestSeconds,
    ),
    jobs('jobs', 'Background jobs of all nodes, by kind and state.', (kinds) =>
      kinds.flatMap(({ kind, open, dead }) => [
        { labels: { kind, state: 'open' }, value: open },
        { labels: { kind, state: 'dead' }, value: dead },
      ]),
    ),
    jobs('jobs_oldest_seconds', 'How long the oldest due job has waited, by kind.', (kinds) =>
      kinds.map(({ kind, oldest_seconds: value }) => ({ labels: { kind }, value })),
    ),
    backups(
      'backup_age_seconds',
      'How long ago the last backup was made.',
      ({ lastBackup }) => lastBackup && ageOf(lastBackup.at),
    ),
    backups('backup_failed', '1 if the last backup or restore failed, else 0.', ({ lastFailure }) =>
      lastFailure ? 1 : 0,
    ),
    disk('disk_free_bytes', 'Room on the disk of the embedded database.', (found) => found?.free),
    disk('disk_bytes', 'Size of that disk.', (found) => found?.total),
  ]
}

function replicaFamilies({ store: { db } }: MetricsSource): Family[] {
  const { replica } = db
  if (!replica) return []
  const lag = gaugesOf(() => replica.lag())
  const state = () => ({ used: 0, late: 0, away: 0, unfit: 0, [replica.state]: 1 })
  return [
    gauge('replica_state', '1 for the present state of the replica.', state),
    lag('replica_lag_bytes', 'Bytes of the log that the replica does not show yet.', ({ bytes }) => bytes),
    lag(
      'replica_lag_seconds',
      'How old the newest change is that it shows, while it lags.',
      ({ seconds }) => seconds,
    ),
    counter(
      'replica_reads_total',
      'Lists, views and exports, by the database they read.',
      () => counts.replica.reads,
      'database',
    ),
    counter('replica_repeated_total', 'Statements repeated on the primary.', () => counts.replica.repeated),
  ]
}

const requestSamples = ({ group, method, byStatus }: Series): Sample[] =>
  [...byStatus].map(([status, value]) => ({ labels: { group, method, status: String(status) }, value }))

/** Prometheus' buckets are cumulative: each includes all shorter durations. */
function durationSamples({ group, method, byDuration, seconds }: Series): Sample[] {
  if (byDuration.length === 0) return []
  let sum = 0
  const buckets = [...byDuration].map((count, i): Sample => {
    sum += count
    return { suffix: '_bucket', labels: { group, method, le: String(BUCKETS[i] ?? '+Inf') }, value: sum }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels: { group, method }, value: seconds },
    { suffix: '_count', labels: { group, method }, value: sum },
  ]
}

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

function ofAllWorkers(all: readonly WorkerFigures[], states: readonly WorkerState[]): Figure[] {
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
