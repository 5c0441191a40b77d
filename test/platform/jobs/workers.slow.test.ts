import { createServer, get } from 'node:http'
import parse from 'parse-prometheus-text-format'
import type { WorkerState } from '../../../src/platform/jobs/worker-messages.ts'
import { childrenOf } from '../../support/database/embedded-data.ts'
import { freePort } from '../../support/database/postgres.ts'
import { type RunningProgram, serve } from '../../support/server/program.ts'
import { testConfig } from '../../support/server/start.ts'

// The program with WORKERS: real processes, real signals.

const TOKEN = '0123456789abcdefgh'
const WORKERS = 2
/** All is over by then; what a busy machine may add to that. */
const [MAX_STOP_MS, SLACK_MS] = [10_000, 5_000]

/** A request on a connection of its own, so that any worker may get it. */
const ask = (url: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    // a connection that was handed to a worker when it was killed gets no answer
    const options = { headers, agent: false, signal: AbortSignal.timeout(5_000) }
    get(url, options, async (response) => {
      let body = ''
      for await (const chunk of response.setEncoding('utf8')) body += chunk
      resolve({ status: response.statusCode ?? 0, body })
    }).on('error', reject)
  })

const statesOf = async ({ url }: RunningProgram): Promise<WorkerState[]> =>
  JSON.parse((await ask(`${url}/api/ready`)).body).workers

const awaitAll = (program: RunningProgram) =>
  expect
    .poll(async () => (await statesOf(program)).map(({ state }) => state), { timeout: 30_000 })
    .toEqual(Array(WORKERS).fill('serving'))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Where the program's workers are children: bin/pocketsms.js may still be their grandparent. */
function workersOf({ pid }: RunningProgram): number[] {
  const children = childrenOf(pid)
  return children.length === 1 ? childrenOf(children[0]!) : children
}

const open = async (more: Record<string, string> = {}) => {
  const { databaseUrl = '' } = await testConfig({}, 'prepared')
  const env = { DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: String(await freePort()) }
  return serve({
    ...env,
    LOG_LEVEL: 'error',
    METRICS_TOKEN: TOKEN,
    WORKERS: String(WORKERS),
    ...more,
  })
}

const program = await open()

test('all workers serve requests, and each reports the metrics of all', async () => {
  await awaitAll(program)
  expect(program.output()).toContain(`listens on ${program.url}, with ${WORKERS} workers`)
  for (let i = 0; i < 20; i++) await ask(`${program.url}/api/health`)
  const { status, body } = await ask(`${program.url}/metrics`, { authorization: `Bearer ${TOKEN}` })
  expect(status).toBe(200)
  const families = new Map(parse(body).map((family) => [family.name, family.metrics]))
  const health = families
    .get('pocketsms_http_requests_total')!
    .filter(({ labels }) => labels?.group === 'health')
  expect(health.map(({ labels }) => labels!.worker).sort()).toEqual(['1', '2'])
  // connections are handed out in turn
  for (const { value } of health) expect(Number(value)).toBeGreaterThanOrEqual(10)
  expect(families.get('process_resident_memory_bytes')).toHaveLength(WORKERS)
  // figures of the database are there once
  expect(families.get('pocketsms_queue_messages')!.every(({ labels }) => !labels?.worker)).toBe(
    true,
  )
  expect(families.get('pocketsms_worker_up')!.map(({ value }) => value)).toEqual(['1', '1'])
})

test('a killed worker is restarted while the others serve', async () => {
  await awaitAll(program)
  process.kill(workersOf(program)[0]!, 'SIGKILL')
  await expect
    .poll(async () => (await statesOf(program)).reduce((sum, { restarts }) => sum + restarts, 0), {
      timeout: 30_000,
    })
    .toBe(1)
  for (let i = 0; i < 20; i++) expect((await ask(`${program.url}/api/health`)).status).toBe(200)
  await awaitAll(program)
  await expect
    .poll(() => program.output(), { timeout: 30_000 })
    .toContain('a worker exited, restarting it')
})

test('SIGTERM stops all workers in order', async () => {
  await awaitAll(program)
  const workers = workersOf(program)
  expect(workers).toHaveLength(WORKERS)
  const streams = await Promise.all(
    Array.from({ length: 6 }, () =>
      fetch(`${program.url}/api/realtime`).then((r) => r.text.bind(r)),
    ),
  )
  const startMs = performance.now()
  const ended = Promise.all(streams.map((read) => read()))
  await program.stop()
  expect(performance.now() - startMs).toBeLessThan(MAX_STOP_MS + SLACK_MS)
  // they end as streams do, and are not cut off
  for (const text of await ended) expect(text).toContain('PB_CONNECT')
  expect(workers.filter(isAlive)).toEqual([])
})

test('workers end when their parent was killed', async () => {
  const orphaned = await open()
  await awaitAll(orphaned)
  const workers = workersOf(orphaned)
  expect(workers).toHaveLength(WORKERS)
  for (const pid of [...childrenOf(orphaned.pid), orphaned.pid])
    if (!workers.includes(pid)) process.kill(pid, 'SIGKILL')
  await expect.poll(() => workers.filter(isAlive)).toEqual([])
})

test('a port in use ends the start of several workers with one plain message', async () => {
  const owner = createServer((_, response) => response.writeHead(500).end())
  const port = await freePort()
  await new Promise<void>((resolve) => owner.listen(port, '127.0.0.1', resolve))
  try {
    const message = await open({ PORT: String(port) }).then(
      () => 'started',
      (error: Error) => error.message,
    )
    expect(message.match(/is taken/g)).toHaveLength(1)
  } finally {
    owner.closeAllConnections()
    owner.close()
  }
})
