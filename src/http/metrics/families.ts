import { countCachedFilters } from '../../engine/filter/compile-filter.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import {
  type Family,
  type MetricsSource,
  makeCounter,
  makeGauge,
  makeGaugeFactory,
  type Sample,
} from './family.ts'
import { BUCKETS, type Series } from './group-requests.ts'

/** All metrics of a server except those of Node. docs/operations.md explains them. */
export function listMetricFamilies(subject: MetricsSource): Family[] {
  const { store, traffic, clients, shared } = subject
  const {
    accepted,
    refused,
    claims,
    reports,
    wakes,
    filter,
    events,
    logs,
    overLimits,
    jobFailures,
  } = counts
  return [
    makeCounter('http_requests_total', 'Requests that are over.', () =>
      [...traffic].flatMap(makeRequestSamples),
    ),
    {
      name: 'pocketsms_http_request_duration_seconds',
      help: 'How long requests took; event streams are not among them.',
      type: 'histogram',
      samples: () => [...traffic].flatMap(makeDurationSamples),
    },
    makeCounter('messages_accepted_total', 'Messages accepted.', () => accepted.messages),
    makeCounter('accept_commits_total', 'Commits that accepted messages.', () => accepted.commits),
    makeCounter(
      'sends_refused_total',
      'Sends refused, by the code of the answer.',
      () => refused,
      'code',
    ),
    makeCounter('claims_total', 'Claims of devices.', () => claims.asked),
    makeCounter('messages_claimed_total', 'Messages handed to devices.', () => claims.messages),
    makeCounter('reports_total', 'Reports of devices, by result.', () => reports, 'result'),
    makeCounter(
      'carrier_unknown_events_total',
      'Events of carriers that their preset does not know.',
      () => counts.carrierUnknownEvents,
      'preset',
    ),
    makeCounter('wakes_total', 'Wake-ups of devices, by the way they took.', () => wakes, 'way'),
    ...shared.map((family) => ({ ...family, isShared: true }) as const),
    makeCounter(
      'job_failures_total',
      'Runs of background jobs that failed, by kind.',
      () => jobFailures,
      'kind',
    ),
    ...makeReplicaFamilies(subject),
    makeCounter(
      'filter_compilations_total',
      'Filters and rules by cache hit or miss.',
      () => filter,
      'cache',
    ),
    makeGauge(
      'filter_cache_entries',
      'Compiled filters and rules that are kept.',
      countCachedFilters,
    ),
    makeGauge('realtime_clients', 'Open realtime connections.', clients),
    makeCounter(
      'realtime_events_total',
      'Events written to realtime connections.',
      () => events.sent,
    ),
    makeCounter(
      'logs_total',
      'Requests for the table of logs, by what became of them.',
      () => logs,
      'outcome',
    ),
    makeGauge(
      'client_statements',
      'Statements whose shape a client chose, by state.',
      () => store.db.clientUse,
    ),
    makeCounter(
      'over_limits_total',
      'Work refused with 429 or 503, by the limit.',
      () => overLimits,
      'limit',
    ),
    makeGauge(
      'database_connections',
      'Connections of the pool by what they do.',
      () => store.db.use,
    ),
  ]
}

function makeReplicaFamilies({ store: { db } }: MetricsSource): Family[] {
  const { replica } = db
  if (!replica) return []
  const lag = makeGaugeFactory(() => replica.lag())
  const state = () => ({ used: 0, late: 0, away: 0, unfit: 0, [replica.state]: 1 })
  return [
    makeGauge('replica_state', '1 for the present state of the replica.', state),
    lag(
      'replica_lag_bytes',
      'Bytes of the log that the replica does not show yet.',
      ({ bytes }) => bytes,
    ),
    lag(
      'replica_lag_seconds',
      'How old the newest change is that it shows, while it lags.',
      ({ seconds }) => seconds,
    ),
    makeCounter(
      'replica_reads_total',
      'Lists, views and exports, by the database they read.',
      () => counts.replica.reads,
      'database',
    ),
    makeCounter(
      'replica_repeated_total',
      'Statements repeated on the primary.',
      () => counts.replica.repeated,
    ),
  ]
}

const makeRequestSamples = ({ group, method, byStatus }: Series): Sample[] =>
  [...byStatus].map(([status, value]) => ({
    labels: { group, method, status: String(status) },
    value,
  }))

/** Prometheus' buckets are cumulative: each includes all shorter durations. */
function makeDurationSamples({ group, method, byDuration, seconds }: Series): Sample[] {
  if (byDuration.length === 0) return []
  let sum = 0
  const buckets = [...byDuration].map((count, i): Sample => {
    sum += count
    return {
      suffix: '_bucket',
      labels: { group, method, le: String(BUCKETS[i] ?? '+Inf') },
      value: sum,
    }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels: { group, method }, value: seconds },
    { suffix: '_count', labels: { group, method }, value: sum },
  ]
}
