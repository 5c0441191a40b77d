import { cancelMessage } from '../../../src/sms/queue/cancel.ts'
import { claimMessages } from '../../../src/sms/queue/claim.ts'
import { checkQueue, sweep } from '../../../src/sms/sweep/sweep.ts'
import { assign, eventsOf, lookUp, makeDevice, makeUser, testStore } from '../../support/database/queue.ts'

const store = await testStore()

const PAST = `now() - interval '1 second'`

/**
 * A message in the queue whose status a superuser has changed, as in PocketBase's dashboard. Another device
 * is ready.
 */
async function endByHand(status: string, dispatch: Readonly<Record<string, string>>, columns = {}) {
  const user = await makeUser(store)
  const device = await makeDevice(store, user, columns)
  const other = await makeDevice(store, user)
  const [id] = await assign(store, device, 1, dispatch)
  await store.db.query(`update sms_dispatch set device = '' where message = $1 and state = 'pending'`, [id])
  await store.db.query('update sms_messages set status = $2 where id = $1', [id, status])
  return { id: id!, user, device, other }
}

test.each([
  ['is not given to another device', 'failed', { state: `'assigned'` }, { enabled: 'false' }],
  ['is not given to a device when it is due', 'failed', { state: `'pending'`, due_at: PAST }, {}],
  ['does not expire', 'delivered', { state: `'assigned'`, expires_at: PAST }, {}],
  ['is not called lost', 'delivered', { state: `'sending'`, attempt: '1', lease_until: PAST }, {}],
  [
    'is not sent a second time',
    'failed',
    { state: `'sending'`, attempt: '1', lease_until: PAST, at_least_once: 'true' },
    {},
  ],
] as const)('what is over by hand %s', async (_, status, dispatch, columns) => {
  const { id, device, other } = await endByHand(status, dispatch, columns)
  await sweep(store, 600)
  expect(await lookUp(store, [id])).toMatchObject([{ status, error: status === 'failed' ? 'Failed' : '' }])
  expect(await eventsOf(store, id)).toEqual([])
  expect(await claimMessages(store, { ...device, enabled: true }, 10, 120)).toEqual([])
  expect(await claimMessages(store, other, 10, 120)).toEqual([])
})

test('what is over by hand cannot be canceled, and costs what it cost', async () => {
  const { id, user } = await endByHand('delivered', { state: `'assigned'` })
  await expect(cancelMessage(store, user, id)).rejects.toMatchObject({ body: { error: 'not_cancelable' } })
  expect(await lookUp(store, [id])).toMatchObject([{ status: 'delivered' }])
})

test('what is over by hand leaves the queue', async () => {
  const { id } = await endByHand('failed', { state: `'assigned'` })
  await checkQueue(store)
  expect((await store.db.query('select 1 from sms_dispatch where message = $1', [id])).rows).toEqual([])
})
