import { randomBytes } from 'node:crypto'
import autocannon, { type Request } from 'autocannon'

/** What to ask, of whom, how long. Each connection goes through `requests` again and again. */
export interface Job {
  readonly url: string
  readonly connections: number
  readonly requests: readonly Request[]
  /** Answers of these first seconds are not counted. */
  readonly warmSeconds: number
  readonly seconds: number
}

/** Answers a second, and how long they took in milliseconds. */
export interface Sample {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** Requests that got no answer, or one that is not 2xx. */
  readonly failed: number
}

/** A process of its own, so that measuring does not take time from whoever prepares the next step. */
process.once('message', async (job: Job) => {
  process.send?.(await measure(job))
  process.disconnect()
})

async function measure({ warmSeconds, seconds, requests, ...job }: Job): Promise<Sample> {
  const run = autocannon({
    ...job,
    requests: requests.map(withIds),
    duration: warmSeconds + seconds,
    timeout: 30,
    sampleInt: 100,
  })
  const times: number[] = []
  const start = performance.now() + warmSeconds * 1000
  let last = start
  run.on('response', (_client, _status, _bytes, ms: number) => {
    const now = performance.now()
    if (now < start) return
    times.push(ms)
    last = now
  })
  const { errors, timeouts, non2xx } = await run
  const sorted = Float64Array.from(times).sort()
  const rate = times.length / Math.max((last - start) / 1000, 0.001)
  return {
    rate,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    failed: errors + timeouts + non2xx,
  }
}

const NEW = '[new]'
const PLACES = /\[(?:new|last)\]/g

/** Puts record ids into a request: `[new]` is a fresh one, `[last]` the connection's latest. */
function withIds(request: Request): Request {
  if (`${request.path}${request.body ?? ''}`.search(PLACES) < 0) return request
  return {
    ...request,
    setupRequest(next, context) {
      if (request.body?.includes(NEW)) context.id = randomBytes(8).toString('hex').slice(0, 15)
      const fill = (text: string) => text.replace(PLACES, context.id ?? '')
      return {
        ...next,
        path: fill(request.path),
        ...(request.body !== undefined && { body: fill(request.body) }),
      }
    },
  }
}

/** The value that `part` of the sorted values do not exceed; 0 for none. */
function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
