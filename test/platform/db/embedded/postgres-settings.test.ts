import { makePostgresSettings } from '../../../../src/platform/db/embedded/postgres-settings.ts'
import { readMachineMemory } from '../../../../src/platform/tools/machine-memory.ts'

const GB = 2 ** 30

test.for([
  [0.25, '26MB', '1024MB'],
  [0.5, '51MB', '1024MB'],
  [1, '64MB', '1024MB'],
  [2, '192MB', '1024MB'],
  [4, '448MB', '2048MB'],
  [16, '1024MB', '4096MB'],
  [256, '1024MB', '4096MB'],
] as const)(
  'on a machine of %s GB Postgres gets %s of buffers and at most %s of WAL',
  ([gb, buffers, log]) => {
    expect(makePostgresSettings(gb * GB)).toMatchObject({
      shared_buffers: buffers,
      max_wal_size: log,
    })
  },
)

test('the memory of the machine is read from the system or container', () => {
  expect(readMachineMemory()).toBeGreaterThan(0.05 * GB)
  expect(readMachineMemory()).toBeLessThanOrEqual(2 ** 46)
})
