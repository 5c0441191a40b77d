import { makePerson } from '../../../src/gateway/people/person.ts'
import { lockTexts } from '../../../src/gateway/people/texts-of-person.ts'
import { recordPlans } from '../../support/database/plans.ts'
import { makeUser, testStore } from '../../support/database/queue.ts'

const store = await testStore()
const number = '+4915112345678'

test('each batch of an erasure finds texts by the indexes of recipient and sender', async () => {
  const user = await makeUser(store)
  await store.db.query(
    `insert into sms_messages (id, "user", "to", "from", message_type, status, created)
    select pb_new_id(), $1, case when n % 2 = 0 then $2 else '' end, case when n % 2 = 1 then $2 else '' end,
      case when n % 2 = 0 then 'outgoing' else 'incoming' end, 'sent', pb_text(now()) from generate_series(1, 3000) n`,
    [user, number],
  )
  await store.db.query('vacuum analyze sms_messages')
  const { db, plans } = recordPlans(store.db)
  expect(
    await db.transaction((inside) => lockTexts(inside, makePerson(user, number))),
  ).toHaveLength(400)
  const [plan] = plans.filter((one) => one.includes('LockRows'))
  expect(plan).toContain('sms_messages_of_user_by_number')
  expect(plan).toMatch(/sms_messages_(of_user_by_from|incoming)/)
  expect(plan).toMatch(/Index Cond: \(id = ANY/)
})
