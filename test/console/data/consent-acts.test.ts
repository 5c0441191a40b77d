import { groupActs } from '../../../console/src/data/consent-acts.ts'
import type { Consent } from '../../../console/src/data/record-types.ts'

const entry = (id: string, created: string, message: string) =>
  ({ id, created: `2026-11-23 08:00:${created}Z`, message, event: 'opt_out' }) as Consent

test('entries of one act are one step, and entries of another act another step', () => {
  const entries = [
    entry('a', '09.000', 'stop2'),
    entry('b', '00.100', 'stop1'),
    entry('c', '00.000', 'stop1'),
  ]
  expect(groupActs(entries).map((act) => act.map(({ id }) => id))).toEqual([['a'], ['b', 'c']])
  // the same again, later
  expect(groupActs([entry('a', '30.000', ''), entry('b', '00.000', '')])).toHaveLength(2)
})
