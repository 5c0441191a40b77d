import { availableParallelism } from 'node:os'
import { readConfig } from '../../../src/platform/config.ts'
import { choosePoolSize } from '../../../src/platform/db/pool-size.ts'
import { chooseWorkerCount, divideConfig } from '../../../src/platform/jobs/worker-share.ts'

const POSTGRES = { DATABASE_URL: 'postgres://localhost/none' }

test.each([
  ['unset', {}, undefined],
  ['a number', { WORKERS: '3' }, 3],
  ['auto', { WORKERS: 'auto' }, availableParallelism()],
])('the number of workers with WORKERS %s is $2', (_, env, count) => {
  expect(chooseWorkerCount(readConfig(env))).toBe(count)
})

test.each(['0', '-1', '1.5', 'all', '1000'])('WORKERS=%s is refused', (WORKERS) => {
  expect(() => readConfig({ ...POSTGRES, WORKERS })).toThrow(
    /WORKERS: must be auto or a whole number/,
  )
})

test.each([
  [256, 4],
  [512, 8],
  [1_024, 16],
  [65_536, 24],
])('a server with %s MB of memory has %s connections to Postgres', (megabytes, connections) => {
  expect(choosePoolSize(megabytes * 2 ** 20)).toBe(connections)
})

test('workers divide the limits of the process among them', () => {
  const config = readConfig({ ...POSTGRES, MAX_STREAMS: '0', MAX_CONNECTIONS_PER_ADDRESS: '5' })
  expect(divideConfig(config, 2)).toMatchObject({
    databasePool: 12,
    maxConnections: 5000,
    maxConnectionsPerAddress: 3,
    maxStreams: 0,
  })
  expect(divideConfig(config, 16).databasePool).toBe(4)
  expect(divideConfig(readConfig({ ...POSTGRES, DATABASE_POOL: '2' }), 2).databasePool).toBe(2)
})
