import { HAS_ROOM } from '../../../src/gateway/conversations/queue-answers.ts'
import { collectJobKinds } from '../../../src/main/features.ts'
import { type JobKind, loadJobFigures } from '../../../src/platform/jobs/job-queue.ts'
import { makeWorker } from '../../../src/platform/jobs/job-worker.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openPreparedDb, startServer } from '../../support/server/start.ts'

const log = createLogger({ logLevel: 'silent' })

const db = await openPreparedDb()

beforeEach(async () => {
  await db.query('delete from _jobs')
})

const add = (holder: string, count: number, name = 'test') =>
  db.query(
    `insert into _jobs (kind, holder, key) select $3, $1, $1 || n from generate_series(1, $2::int) n`,
    [holder, count, name],
  )

const kind = (run: JobKind['run'], more: Partial<JobKind> = {}): JobKind => ({
  name: 'test',
  places: 4,
  placesOfHolder: 2,
  timeoutSeconds: 60,
  maxAttempts: 3,
  ...more,
  run,
})

/** A worker of a node of its own. Its jobs end with it. */
async function startWorker(...kinds: JobKind[]) {
  const stop = await makeWorker(db, kinds, log).start()
  onTestFinished(stop)
  return stop
}

const rows = async (sql: string) => (await db.query(sql)).rows
const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test("endless, failing or many jobs of one account do not delay other accounts' jobs", async () => {
  const server = await startServer()
  onTestFinished(server.stop)
  const kinds = collectJobKinds(server.services)
  expect(kinds.length).toBeGreaterThan(4)
  const done = new Map(kinds.map(({ name }) => [name, [] as string[]]))
  const run = (name: string): JobKind['run'] => {
    return async ({ holder }, signal) => {
      if (holder === 'hanging') return forever(signal)
      if (holder === 'failing') throw new Error('It always fails.')
      done.get(name)!.push(holder)
    }
  }
  for (const { name } of kinds) {
    for (const [holder, count] of [
      ['hanging', 20],
      ['failing', 20],
      ['many', 500],
    ] as const)
      await add(holder, count, name)
  }
  await startWorker(...kinds.map((one) => ({ ...one, run: run(one.name) })))
  for (const [name, holders] of done) {
    await vi.waitUntil(() => holders.length > 20, { timeout: 30_000 })
    await add('late', 3, name)
    const late = () => holders.filter((holder) => holder === 'late').length
    await vi.waitUntil(() => late() === 3, { timeout: 30_000 })
    // between two of `late` are few of `many`, and some that had begun
    expect(holders.lastIndexOf('late') - holders.indexOf('late')).toBeLessThan(12)
  }
}, 120_000)

test('several nodes share the queue and run each job once', async () => {
  const keys: string[] = []
  await add('a', 100)
  await add('b', 100)
  const run: JobKind['run'] = async ({ key }) => void keys.push(key)
  for (let node = 0; node < 3; node++) await startWorker(kind(run))
  await expect.poll(() => rows('select count(*) from _jobs')).toEqual([[0]])
  expect(keys.length).toBe(200)
  expect(new Set(keys).size).toBe(200)
})

test('a failing job is retried with growing delays and finally given up', async () => {
  await add('a', 1)
  const worker = makeWorker(db, [kind(async () => Promise.reject(new Error('No luck.')))], log)
  const delays: number[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    await worker.drain()
    const [[delay]] = (await rows(
      'select round(extract(epoch from due_at - now()))::int from _jobs',
    )) as [[number]]
    delays.push(delay)
    await db.query('update _jobs set due_at = now()')
  }
  expect(delays).toEqual([5, 10, 20])
  await worker.drain()
  expect(await rows('select runs, error from _jobs where dead_at is not null')).toEqual([
    [3, 'No luck.'],
  ])
  expect(await loadJobFigures(db)).toEqual([
    { kind: 'test', open: 0, dead: 1, oldest_seconds: 0, last_error: 'No luck.' },
  ])
})

test('a run that takes too long fails and frees its place', async () => {
  await add('a', 1)
  // it does not heed its signal
  const run: JobKind['run'] = () => new Promise(() => {})
  await makeWorker(db, [kind(run, { timeoutSeconds: 0.05 })], log).drain()
  expect(await rows('select attempts, error from _jobs')).toEqual([[1, 'The job took too long.']])
})

test('the lease of a job that runs for long is renewed, and ends within a minute after a kill', async () => {
  await add('a', 1)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const leased = async () =>
    (await rows('select extract(epoch from due_at - now())::int from _jobs'))[0]![0]
  const run: JobKind['run'] = async () => {
    expect(await leased()).toBeLessThan(50)
    await db.query('update _jobs set due_at = now()')
    vi.advanceTimersByTime(15_000)
    await expect.poll(leased).toBeGreaterThan(30)
  }
  await makeWorker(db, [kind(run, { timeoutSeconds: 600 })], log).drain()
  expect(await rows('select error from _jobs')).toEqual([])
})

test('a job whose process was killed at each attempt is given up', async () => {
  await add('a', 1)
  await db.query('update _jobs set attempts = 3')
  const run = vi.fn<JobKind['run']>()
  await makeWorker(db, [kind(run)], log).drain()
  expect(await rows('select dead_at is not null from _jobs')).toEqual([[true]])
  expect(run).not.toHaveBeenCalled()
})

test('a job that asks to run again later does not count as failed', async () => {
  await add('a', 1)
  await makeWorker(db, [kind(async () => ({ inSeconds: 60 }))], log).drain()
  expect(await rows(`select attempts, due_at > now() + interval '50 s' from _jobs`)).toEqual([
    [0, true],
  ])
})

test("a node that lost its lease does not end another node's run", async () => {
  await add('a', 1)
  const run: JobKind['run'] = async () => void (await db.query('update _jobs set runs = runs + 1'))
  await makeWorker(db, [kind(run)], log).drain()
  expect(await rows('select runs from _jobs')).toEqual([[2]])
})

test('a stopping server returns its unfinished jobs to the queue', {
  timeout: 15_000,
}, async () => {
  await add('a', 1)
  let begun = 0
  const stop = await startWorker(
    kind((_, signal) => {
      begun++
      return forever(signal)
    }),
  )
  await vi.waitUntil(() => begun === 1)
  await stop()
  expect(await rows('select attempts, due_at <= now() from _jobs')).toEqual([[0, true]])
})

test('an account has at most 1,000 texts that wait for an answer', async () => {
  const insert = `insert into _jobs (kind, holder, key) select 'answer', $1, 'one more' where ${HAS_ROOM} returning holder`
  await add('a', 1_000, 'answer')
  expect((await db.query(insert, ['a'])).rows).toEqual([])
  expect((await db.query(insert, ['b'])).rows).toEqual([['b']])
})
