import { NEXT, STATUSES } from '../../../src/gateway/base/message-status.ts'
import { testStore } from '../../support/database/queue.ts'

test('SQL and the server allow the same changes of a status', async () => {
  const { db } = await testStore()
  const { rows } = await db.query(
    `select a, b from unnest($1::text[]) a, unnest($1::text[]) b where sms_may_become(a, b)`,
    [[...STATUSES]],
  )
  const edges = STATUSES.flatMap((from) => NEXT[from].map((to) => [from, to]))
  expect(rows.toSorted()).toEqual(edges.toSorted())
})
