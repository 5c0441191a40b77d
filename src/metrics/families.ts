import { readState } from '../backup/service/state.ts'
import type { Store } from '../collections/catalog.ts'
import { counts } from '../counts.ts'
import { planCount } from '../filter/compile/plan.ts'
import { readLineFigures } from '../sms/usage/line-limits.ts'
import { cachedQuery } from '../tools/cached-query.ts'
import { webhookLag } from '../webhooks/lag.ts'
import { readJobFigures } from '../work/queue.ts'
import { readDevices } from './devices.ts'
import { type Depth, readQueue } from './queue.ts'
import { BUCKETS, type Series, type Traffic } from './traffic.ts'

/** What the figures are of. */
export interface MetricsSource {
  readonly store: Store
  readonly traffic: Traffic
  /** Realtime connections that are open. */
  readonly clients: () => number
  /** A device seen since then is online. */
  readonly deviceOnlineSeconds: number
}

/** One value; `suffix` is for the parts of a histogram. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly suffix?: '_bucket' | '_sum' | '_count'
}

/** A metric as Prometheus knows it. No samples: nothing can be said at the moment. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** A figure of the database, the same from every process. */
  readonly isShared?: true
  samples(): Iterable<Sample> | Promise<Iterable<Sample>>
}

/** Queue and devices are looked at no more often, however many scrape. */
const KEEP_MS = 1_000

const one = (value: number): Sample[] => [{ labels: {}, value }]

const each = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

const counter = (name: string, help: string, samples: Family['samples']): Family => ({
  name,
  help,
  type: 'counter',
  samples,
})
const gauge = (name: string, help: string, samples: Family['samples']): Family => ({
  name,
  help,
  type: 'gauge',
  samples,
})

const shared = (families: readonly Family[]): Family[] =>
  families.map((family) => ({ ...family, isShared: true }))

/** All metrics of a server beside Node's own. docs/operations.md explains them. */
export function familiesOf(subject: MetricsSource): Family[] {
  return [
    ...trafficFamilies(subject),
    ...messageFamilies(),
    ...shared(queueFamilies(subject)),
    ...shared(deviceFamilies(subject)),
    ...shared(lineFamilies(subject)),
    ...shared(webhookFamilies(subject)),
    ...shared(jobFamilies(subject)),
    ...shared(backupFamilies(subject)),
    counter('pocketsms_job_failures_total', 'Runs of background jobs that failed, by kind.', () =>
      each('kind', counts.jobFailures),
    ),
    ...replicaFamilies(subject),
    counter('pocketsms_filter_compilations_total', 'Filters and rules by cache hit or miss.', () =>
      each('cache', { hit: counts.filter.hits, miss: counts.filter.misses }),
    ),
    gauge('pocketsms_filter_cache_entries', 'Compiled filters and rules that are kept.', () =>
      one(planCount()),
    ),
    gauge('pocketsms_realtime_clients', 'Open realtime connections.', () => one(subject.clients())),
    counter('pocketsms_realtime_events_total', 'Events written to realtime connections.', () =>
      one(counts.events.sent),
    ),
    counter('pocketsms_logs_total', 'Requests for the table of logs, by what became of them.', () =>
      each('outcome', counts.logs),
    ),
    gauge('pocketsms_client_statements', 'Statements whose shape a client chose, by state.', () =>
      each('state', subject.store.db.clientUse ?? {}),
    ),
    counter('pocketsms_over_limits_total', 'Work refused with 429 or 503, by the limit.', () =>
      each('limit', counts.overLimits),
    ),
    gauge('pocketsms_database_connections', 'Connections of the pool by what they do.', () =>
      each('state', subject.store.db.use ?? {}),
    ),
  ]
}

const trafficFamilies = ({ traffic }: MetricsSource): Family[] => [
  counter('pocketsms_http_requests_total', 'Requests that are over.', () => requestSamples(traffic)),
  {
    name: 'pocketsms_http_request_duration_seconds',
    help: 'How long requests took; event streams are not among them.',
    type: 'histogram',
    samples: () => [...traffic].flatMap(durationSamples),
  },
]

const messageFamilies = (): Family[] => [
  counter('pocketsms_messages_accepted_total', 'Messages accepted.', () => one(counts.accepted.messages)),
  counter('pocketsms_accept_commits_total', 'Commits that accepted messages.', () =>
    one(counts.accepted.commits),
  ),
  counter('pocketsms_sends_refused_total', 'Sends refused, by the code of the answer.', () =>
    each('code', counts.refused),
  ),
  counter('pocketsms_claims_total', 'Claims of devices.', () => one(counts.claims.asked)),
  counter('pocketsms_messages_claimed_total', 'Messages handed to devices.', () =>
    one(counts.claims.messages),
  ),
  counter('pocketsms_reports_total', 'Reports of devices, by result.', () => each('result', counts.reports)),
  counter('pocketsms_wakes_total', 'Wake-ups of devices, by the way they took.', () =>
    each('way', counts.wakes),
  ),
]

/** Samples of figures that the database knows, kept for a while; none while it is away. */
function samplesOf<T>(read: () => Promise<T>) {
  const look = cachedQuery(read, KEEP_MS)
  return (pick: (figures: T) => Sample[]) => async () => {
    const figures = await look().catch(() => undefined)
    return figures === undefined ? [] : pick(figures)
  }
}

function queueFamilies({ store }: MetricsSource): Family[] {
  const samples = samplesOf(() => readQueue(store))
  const depths = (name: keyof Depth) =>
    samples((queue) =>
      Object.entries(queue).map(([state, depth]) => ({ labels: { state }, value: depth[name] })),
    )
  return [
    gauge('pocketsms_queue_messages', 'Unfinished messages of all nodes, by state.', depths('messages')),
    gauge('pocketsms_queue_due_messages', 'Of these, those whose time has come.', depths('due')),
    gauge('pocketsms_queue_oldest_seconds', 'How long the oldest due one waits.', depths('oldestSeconds')),
  ]
}

const deviceFamilies = ({ store, deviceOnlineSeconds }: MetricsSource): Family[] => [
  gauge(
    'pocketsms_devices',
    'Devices of all accounts, by state.',
    samplesOf(() => readDevices(store, deviceOnlineSeconds))((states) => each('state', states)),
  ),
]

const lineFamilies = ({ store }: MetricsSource): Family[] => [
  gauge(
    'pocketsms_lines',
    'Lines that can send, by what they have used of their limits.',
    samplesOf(() => readLineFigures(store))((lines) => each('state', { ...lines })),
  ),
]

function webhookFamilies({ store }: MetricsSource): Family[] {
  const samples = samplesOf(() => webhookLag(store))
  return [
    gauge(
      'pocketsms_webhook_deliveries_pending',
      'Webhook deliveries of all nodes that are not over.',
      samples(({ pending }) => one(pending)),
    ),
    gauge(
      'pocketsms_webhook_lag_seconds',
      'How long the delivery that is due first waits.',
      samples(({ oldestSeconds }) => one(oldestSeconds)),
    ),
  ]
}

function jobFamilies({ store }: MetricsSource): Family[] {
  const samples = samplesOf(() => readJobFigures(store.db))
  return [
    gauge(
      'pocketsms_jobs',
      'Background jobs of all nodes, by kind and state.',
      samples((jobs) =>
        jobs.flatMap(({ kind, open, dead }) => [
          { labels: { kind, state: 'open' }, value: open },
          { labels: { kind, state: 'dead' }, value: dead },
        ]),
      ),
    ),
    gauge(
      'pocketsms_jobs_oldest_seconds',
      'How long the oldest due job has waited, by kind.',
      samples((jobs) => jobs.map(({ kind, oldest_seconds: value }) => ({ labels: { kind }, value }))),
    ),
  ]
}

function replicaFamilies({ store: { db } }: MetricsSource): Family[] {
  const { replica } = db
  if (!replica) return []
  const samples = samplesOf(() => replica.lag())
  const known = (value: number | null) => (value === null ? [] : one(value))
  return [
    gauge('pocketsms_replica_state', '1 for the present state of the replica.', () =>
      each('state', { used: 0, late: 0, away: 0, unfit: 0, [replica.state]: 1 }),
    ),
    gauge(
      'pocketsms_replica_lag_bytes',
      'Bytes of the log that the replica does not show yet.',
      samples(({ bytes }) => known(bytes)),
    ),
    gauge(
      'pocketsms_replica_lag_seconds',
      'How old the newest change is that it shows, while it lags.',
      samples(({ seconds }) => known(seconds)),
    ),
    counter('pocketsms_replica_reads_total', 'Lists, views and exports, by the database they read.', () =>
      each('database', counts.replica.reads),
    ),
    counter('pocketsms_replica_repeated_total', 'Statements repeated on the primary.', () =>
      one(counts.replica.repeated),
    ),
  ]
}

function backupFamilies({ store }: MetricsSource): Family[] {
  const samples = samplesOf(() => readState(store.db))
  return [
    gauge(
      'pocketsms_backup_age_seconds',
      'How long ago the last backup was made.',
      samples(({ lastBackup }) =>
        lastBackup ? one((Date.now() - Date.parse(lastBackup.at.replace(' ', 'T'))) / 1000) : [],
      ),
    ),
    gauge(
      'pocketsms_backup_failed',
      '1 if the last backup or restore failed, else 0.',
      samples(({ lastFailure }) => one(lastFailure ? 1 : 0)),
    ),
  ]
}

function* requestSamples(traffic: Traffic): Generator<Sample> {
  for (const { group, method, byStatus } of traffic)
    for (const [status, value] of byStatus) yield { labels: { group, method, status: String(status) }, value }
}

/** Prometheus adds up: each class has all that are shorter in it. */
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
