import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import {
  must,
  openStream,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'
import { until } from '../../../support/until.ts'

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann)
const conversations = '/api/collections/conversations/records'
const texts = '/api/collections/sms_messages/records'
let last = 4_915_112_340_000
const nextNumber = () => `+${++last}`

const ask = (body: object) => ann.call('POST', '/api/sms/send', body)
async function send(to: string, more: object = {}): Promise<string> {
  const body = { recipients: [to], body: 'Until six', undo_seconds: 60, ...more }
  return (await must(ann, 'POST', '/api/sms/send', body)).message_ids[0]
}
const view = (id: string) => must(ann, 'GET', `${texts}/${id}`)
const cancel = (id: string) => ann.call('POST', `/api/sms/messages/${id}/cancel`)
const talkOf = async (number: string) =>
  (await must(ann, 'GET', `${conversations}?filter=number="${encodeURIComponent(number)}"`))
    .items[0]
const claimed = async () =>
  (await must(phone, 'POST', '/api/devices/claim', {})).items.map(({ id }: { id: string }) => id)
/** Ends the seconds in which the text can be undone. */
const endSeconds = (id: string) =>
  server.query('update sms_dispatch set due_at = now() where message = $1', [id])
const used = async () => (await must(ann, 'GET', '/api/sms/usage')).used

test('a text that can be undone waits for its seconds, is no scheduled text, and then wakes its phone', async () => {
  const to = nextNumber()
  const stream = await openStream(server.url, phone.token)
  const id = await send(to)
  expect(await view(id)).toMatchObject({
    status: 'pending',
    waiting_for: 'undo',
    scheduled_at: '',
    device: '',
  })
  const [[due]] = (await server.query(
    'select extract(epoch from due_at - now()) from sms_dispatch where message = $1',
    [id],
  )) as [[number]]
  expect(Number(due)).toBeGreaterThan(0)
  expect(Number(due)).toBeLessThanOrEqual(60)
  expect((await must(ann, 'GET', '/api/sms/scheduled')).items).toEqual([])
  expect((await must(ann, 'GET', '/api/sms/scheduled/days')).days).toEqual([])
  expect(await claimed()).toEqual([])
  expect(stream.heard).toEqual([])
  await endSeconds(id)
  await stream.next('wake')
  expect(await view(id)).toMatchObject({ status: 'assigned', waiting_for: '' })
  expect(await claimed()).toEqual([id])
  await stream.close()
})

test('an undone answer costs nothing, and its conversation waits again', async () => {
  const to = nextNumber()
  await server.hear(phone, [[to, 'Are you open?']])
  const before = await used()
  const first = await send(to)
  // the conversation has its answer from the moment that it was sent
  expect(await talkOf(to)).toMatchObject({ unanswered: false, last_message: first })
  const second = await send(to, { body: 'Or a bit longer' })
  expect((await cancel(second)).status).toBe(200)
  expect((await cancel(first)).status).toBe(200)
  expect(await used()).toBe(before)
  expect(await talkOf(to)).toMatchObject({ unanswered: true })
  const { people } = await must(ann, 'GET', '/api/account/today')
  expect(people).toMatchObject([{ sender: ann.id, answers: 0 }])
})

const expire = async (id: string) => {
  await server.query('update sms_dispatch set expires_at = now() where message = $1', [id])
  await sweepQueue(server.server.services.store, 600)
}

test.each<[end: string, (id: string, to: string) => Promise<unknown>]>([
  ['is undone', cancel],
  ['expires', expire],
  ['is to a person who texts STOP', (_, to) => server.hear(phone, [[to, 'STOP']])],
  [
    'is to a person who is erased',
    (_, number) => must(ann, 'POST', '/api/person/erase', { number, reason: 'Asked' }),
  ],
])('a text that %s waits for nothing any more', async (_, end) => {
  const to = nextNumber()
  const id = await send(to)
  await end(id, to)
  const waiting = 'select from sms_dispatch where message = $1'
  await until('the end', async () => (await server.query(waiting, [id])).length === 0)
  const ended = 'select status, waiting_for from sms_messages where id = $1'
  expect(await server.query(ended, [id])).toEqual([['failed', '']])
})

test('an answer whose seconds are over says that it can no longer be undone once its phone has it', async () => {
  const id = await send(nextNumber())
  await endSeconds(id)
  await until('the text to be handed out', async () => (await claimed()).includes(id))
  await must(phone, 'POST', '/api/devices/report', {
    items: [{ id, attempt: 1, status: 'sent' }],
  })
  expect(await cancel(id)).toMatchObject({ status: 409, body: { error: 'not_cancelable' } })
})

test('an answer that can be undone is neither moved by quiet hours nor by a change of settings', async () => {
  const to = nextNumber()
  await server.hear(phone, [[to, 'Are you open?']])
  const settings = '/api/collections/user_settings/records'
  const { id: kept } = await must(ann, 'POST', settings, {
    user: ann.id,
    time_zone: 'UTC',
    quiet_from: '00:00',
    quiet_to: '23:59',
  })
  const id = await send(to, { quiet_hours: true })
  await must(ann, 'PATCH', `${settings}/${kept}`, { quiet_to: '23:58' })
  expect(await view(id)).toMatchObject({ status: 'pending', waiting_for: 'undo' })
  await endSeconds(id)
  await until('the answer to be handed out', async () => (await claimed()).includes(id))
  await must(ann, 'PATCH', `${settings}/${kept}`, { quiet_from: '', quiet_to: '' })
})

test.each([
  ['61 seconds', { undo_seconds: 61 }, 'undo_seconds must be a whole number from 0 to 60'],
  [
    'a later time',
    { undo_seconds: 5, scheduled_at: '2099-01-01T08:00:00Z' },
    'undo_seconds and a later scheduled_at exclude each other',
  ],
])('undo_seconds with %s is refused', async (_, more, message) => {
  const answer = await ask({ recipients: [nextNumber()], body: 'No', ...more })
  expect([answer.status, answer.body.error, answer.body.message]).toEqual([
    400,
    'invalid_request',
    message,
  ])
})

test('a text that no phone can send is refused at once, however long it can be undone', async () => {
  const lone = await server.makeUser()
  const body = { recipients: [nextNumber()], body: 'No', undo_seconds: 20 }
  expect(await lone.call('POST', '/api/sms/send', body)).toMatchObject({
    status: 503,
    body: { error: 'no_devices' },
  })
})

test('members choose their own seconds, and cannot choose the seconds of others', async () => {
  const ben = await server.makeUser()
  const { id } = await must(server.superuser, 'POST', '/api/collections/members/records', {
    account: ann.id,
    member: ben.id,
    role: 'agent',
  })
  const path = `/api/collections/members/records/${id}`
  expect((await ann.call('PATCH', path, { undo_seconds: 10 })).status).toBe(404)
  expect((await must(ben, 'PATCH', path, { undo_seconds: 10 })).undo_seconds).toBe(10)
})

test.each([
  ['5 seconds', {}, 5],
  ['not at all, if the request says so', { undo_seconds: 0 }, 0],
  ['the seconds of the request', { undo_seconds: 20 }, 20],
])('a new account and a new member can take back an answer for %s', async (_, chosen, seconds) => {
  const [carl, dora] = [await server.makeUser(), await server.makeUser()]
  const make = (collection: string, values: object) =>
    must(server.superuser, 'POST', `/api/collections/${collection}/records`, {
      ...values,
      ...chosen,
    })
  const settings = await make('user_settings', { user: carl.id })
  const member = await make('members', { account: carl.id, member: dora.id, role: 'agent' })
  expect([settings.undo_seconds, member.undo_seconds]).toEqual([seconds, seconds])
})
