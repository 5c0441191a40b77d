import { waitPastMidnight } from '../../support/database/midnight.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

await waitPastMidnight()
const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann)
const [ZOE, YARA] = ['+4915112345678', '+4915112345679']
const today = () => must(ann, 'GET', '/api/account/today')
const send = (to: string, body: string) =>
  must(ann, 'POST', '/api/sms/send', { recipients: [to], body })

test('the figures of an account count its texts, and how long people waited for a first answer', async () => {
  await server.hear(phone, [
    [ZOE, 'Are you open?'],
    [ZOE, 'Hello?'],
    [YARA, 'And tomorrow?'],
  ])
  // both texts of Zoe are one wait, of which the first began ten minutes ago
  await server.query(
    `update sms_messages set created = pb_text(created::timestamptz - interval '10 minutes') where body = 'Are you open?'`,
  )
  await send(ZOE, 'Until six')
  await send(ZOE, 'Or a bit longer')
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 1 })
  await must(phone, 'POST', '/api/devices/report', {
    items: items.map(({ id, attempt }: { id: string; attempt: number }) => ({
      id,
      attempt,
      status: 'sent',
    })),
  })
  const { days, waiting, devices, lines, cost, people, hands } = await today()
  expect(days).toHaveLength(7)
  expect(days.at(-1).counts).toEqual({ assigned: 1, sent: 1, received: 3 })
  const all = { online: 1, all: 1 }
  expect([waiting, devices, lines, cost, hands]).toEqual([1, all, all, null, []])
  expect(people).toMatchObject([{ sender: ann.id, open: 0, answers: 1 }])
  expect(people[0].median_seconds).toBeGreaterThan(599)
  expect(people[0].median_seconds).toBeLessThan(900)
})

test('a canceled or scheduled text is no answer', async () => {
  const number = '+4915112345670'
  await server.hear(phone, [[number, 'Do you have rye?']])
  const later = {
    recipients: [number],
    body: 'Yes',
    scheduled_at: new Date(Date.now() + 3_600_000),
  }
  const { message_ids } = await must(ann, 'POST', '/api/sms/send', later)
  expect((await today()).people).toMatchObject([{ answers: 1 }])
  await must(ann, 'POST', `/api/sms/messages/${message_ids[0]}/cancel`)
  expect((await today()).people).toMatchObject([{ answers: 1 }])
})

test('the answer of the server to a word that joins does not count as a first answer', async () => {
  const group = { user: ann.id, name: 'News', join_words: 'JOIN' }
  await must(ann, 'POST', '/api/collections/contact_groups/records', group)
  await server.hear(phone, [['+4915112345671', 'join']])
  const sent = `select 1 from sms_messages where "to" = '+4915112345671'`
  await until('the answer', async () => (await server.query(sent)).length === 1)
  expect((await today()).people).toMatchObject([{ answers: 1 }])
})

test('a silent phone, a failing line and the cost of the month are shown', async () => {
  const [line] = (await must(ann, 'GET', '/api/collections/lines/records')).items
  const path = `/api/collections/lines/records/${line.id}`
  await must(ann, 'PATCH', path, { prices: { '+49': '0.1' }, monthly_budget: '5' })
  await server.query(`update lines set failing_since = pb_text(now()), label = 'Desk'`)
  expect((await today()).lines).toEqual({ online: 0, all: 1 })
  await server.query(`update devices set last_seen = pb_text(now() - interval '1 day')`)
  const { cost, hands, devices } = await today()
  expect(cost).toMatchObject({ spent: '0', budget: '5' })
  expect(devices).toEqual({ online: 0, all: 1 })
  expect(hands.map(({ kind, name }: Record<string, unknown>) => [kind, name])).toEqual([
    ['silent_device', expect.any(String)],
    ['failing_line', 'Desk'],
  ])
})
