import { createLogger } from '../../src/platform/log.ts'
import { runServer } from '../support/database/open.ts'
import { client, must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { until } from '../support/until.ts'

const first = await startServerWithDevices()
const second = await runServer(first.server.services.config, createLogger({ logLevel: 'silent' }))
const ann = await first.makeUser()
const phones = [await first.pair(ann), await first.pair(ann)]
const nodes = [first.url, second.url]

const people = Array.from({ length: 1_000 }, (_, i) => `+4915${String(10_000_000 + i)}`)
const [agreed, others] = [people.slice(0, 700), people.slice(700)]

test('a campaign on two servers reaches only people with consent, and not after STOP or after they left its group', async () => {
  const { id: group } = await must(ann, 'POST', '/api/collections/contact_groups/records', {
    user: ann.id,
    name: 'News',
  })
  for (const number of agreed) {
    const entry = { user: ann.id, number, group, event: 'opt_in', shown: 'Offers by text' }
    await must(ann, 'POST', '/api/collections/consents/records', entry)
  }
  const wanted = {
    body: 'Sale',
    recipients: others,
    group_ids: [group],
    requires_consent: true,
    hold_seconds: 1,
  }
  const { id } = await must(client(second.url, ann.id, ann.token), 'POST', '/api/campaigns', wanted)
  const handed: string[] = []
  const stopped = new Map<string, number>()
  // each STOP notes how many texts were handed out when the server had stored it
  const stops = (async () => {
    for (const [i, number] of agreed.filter((_, i) => i % 14 === 0).entries()) {
      const phone = client(nodes[i % 2]!, phones[0]!.id, phones[0]!.token)
      await first.hear(phone, [[number, 'STOP']])
      stopped.set(number, handed.length)
    }
  })()
  const leaves = (async () => {
    for (const [i, number] of agreed.filter((_, i) => i % 14 === 7).entries()) {
      const entry = { user: ann.id, number, group, event: 'opt_out' }
      const node = client(nodes[i % 2]!, ann.id, ann.token)
      await must(node, 'POST', '/api/collections/consents/records', entry)
    }
  })()
  const claims = phones.map(async (one, i) => {
    const phone = client(nodes[i]!, one.id, one.token)
    const isOver = async () =>
      (await first.query('select status from campaigns where id = $1', [id]))[0]?.[0] === 'done'
    while (!(await isOver())) {
      const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10, wait: 1 })
      handed.push(...items.map(({ to }: { to: string }) => to))
      const sent = items.map(({ id, attempt }: { id: string; attempt: number }) => ({
        id,
        attempt,
        status: 'sent',
      }))
      if (sent.length > 0) await must(phone, 'POST', '/api/devices/report', { items: sent })
    }
  })
  await Promise.all([stops, leaves, ...claims])
  await until(
    'all ended',
    async () => (await first.query('select 1 from sms_dispatch')).length === 0,
  )
  expect(stopped.size).toBe(50)
  expect(others.filter((number) => handed.includes(number))).toEqual([])
  expect(new Set(handed).size).toBe(handed.length)
  // an entry has the time at which its transaction began, and counts from its end
  const late = await first.query(
    `select m."to" from sms_messages m
      join sms_events e on e.message = m.id and e.status = 'sending'
      join consents c on c.number = m."to" and c.event = 'opt_out'
        and c.created::timestamptz + interval '3 s' < e.created::timestamptz
      where m.sent_by = $1`,
    [id],
  )
  expect(late).toEqual([])
  const left = await first.query(
    `select count(*) from sms_messages where sent_by = $1 and error_message = 'Recipient has opted out'`,
    [id],
  )
  expect(handed.length + Number(left[0]![0])).toBe(700)
  const { consent } = await must(ann, 'GET', `/api/campaigns/${id}/progress`)
  expect(consent.without_consent).toEqual({ count: 300, recipients: others })
})
