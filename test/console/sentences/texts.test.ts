import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { must } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import {
  nextNumber,
  openSentenceServer,
  openShop,
  type Sentence,
  testSentences,
} from './sentence-fixture.ts'

// Sentences about texts that wait, leave or failed, and about what sends them.

const on = await openSentenceServer()
const { server, ann, phone, create, remove, list, send, readMessage, claim, report } = on
/** Does at once what the server does about waiting texts every few seconds. */
const sweep = () => sweepQueue(server.server.services.store, 600)
/** Ids of what a claim returns after a sweep. The server's own sweep may hold rows, which another skips. */
async function claimAfterSweep(claim: () => Promise<readonly { readonly id: string }[]>) {
  let claimed: readonly { readonly id: string }[] = []
  await until('a text for the claim', async () => {
    await sweep()
    claimed = await claim()
    return claimed.length > 0
  })
  return claimed.map(({ id }) => id)
}
const LATER = '2099-11-20T08:00:00.000Z'

const status = async (id: string) => (await readMessage(id)).status
/** Tasks of the phone for these numbers. */
const claimFor = async (numbers: readonly string[], by = phone) =>
  (await claim(by)).filter(({ to }: { to: string }) => numbers.includes(to))
const path = (id: string) => `/api/sms/messages/${id}`

async function tryCancelingBatch() {
  const shop = await openShop(server)
  const { message_ids, batch_id } = await must(shop.ann, 'POST', '/api/sms/send', {
    recipients: [nextNumber(), nextNumber()],
    body: 'Hello',
  })
  const { items } = await must(shop.phone, 'POST', '/api/devices/claim', { limit: 1 })
  await must(shop.ann, 'POST', `/api/sms/batches/${batch_id}/cancel`)
  await shop.report(items[0], 'sent')
  const texts = await Promise.all(message_ids.map(shop.readMessage))
  expect(texts.map((text) => text.status).sort()).toEqual(['failed', 'sent'])
}

async function tryCancelingFound() {
  const usage = () => must(ann, 'GET', '/api/sms/usage')
  const before = (await usage()).used
  const { id } = await send(nextNumber(), { scheduled_at: LATER })
  expect((await usage()).used).toBe(before + 1)
  await must(ann, 'POST', `${path(id)}/cancel`)
  expect(await status(id)).toBe('failed')
  expect((await usage()).used).toBe(before)
}

const makeCampaign = (more: object = {}) =>
  must(ann, 'POST', '/api/campaigns', { recipients: [nextNumber()], body: 'Sale', ...more })

const SENTENCES: readonly Sentence[] = [
  [
    'Whoever has not got the text yet does not get it. Texts that a device already has are still sent.',
    'Wer die SMS noch nicht hat, bekommt sie nicht mehr. SMS, die schon bei einem Gerät sind, werden noch gesendet.',
    async () => {
      const shop = await openShop(server)
      const { id } = await must(shop.ann, 'POST', '/api/campaigns', {
        recipients: [nextNumber(), nextNumber()],
        body: 'Sale',
        hold_seconds: 0,
      })
      const texts = () => shop.list('sms_messages')
      await until(
        'the texts',
        async () => (await shop.list('sms_messages', 'status = "assigned"')).length === 2,
      )
      const { items } = await must(shop.phone, 'POST', '/api/devices/claim', { limit: 1 })
      await must(shop.ann, 'POST', `/api/campaigns/${id}/cancel`)
      await shop.report(items[0], 'sent')
      const states = (await texts()).map((text) => text.status)
      expect(states.sort()).toEqual(['failed', 'sent'])
    },
  ],
  [
    'The campaign is not sent again. Cancel a run that is under way on its own page.',
    'Die Kampagne wird nicht noch einmal gesendet. Einen laufenden Durchlauf brechen Sie auf seiner eigenen Seite ab.',
    async () => {
      const { id } = await makeCampaign({ repeat: { cron: '0 9 * * *' } })
      await must(ann, 'POST', `/api/campaigns/${id}/cancel`)
      const [campaign] = await list('campaigns', `id = "${id}"`)
      expect(campaign.status).toBe('canceled')
      expect((await ann.call('POST', `/api/campaigns/${id}/resume`)).status).toBe(409)
    },
  ],
  [
    'The campaign is deleted; its messages stay.',
    'Die Kampagne wird gelöscht; ihre Nachrichten bleiben.',
    async () => {
      const number = nextNumber()
      const { id } = await makeCampaign({ recipients: [number], hold_seconds: 0 })
      const texts = () => list('sms_messages', `to = "${number}"`)
      await until('the text', async () => (await texts())[0]?.status === 'assigned')
      for (const task of await claimFor([number])) await report(task, 'sent')
      const isOver = async () => (await list('campaigns', `id = "${id}"`))[0].status === 'done'
      await until('the end', isOver)
      await remove('campaigns', id)
      expect(await texts()).toMatchObject([{ status: 'sent', body: 'Sale' }])
    },
  ],
  [
    'It is not sent. If a device has it already, it is sent all the same.',
    'Die SMS wird nicht gesendet. Hat ein Gerät sie schon, wird sie dennoch gesendet.',
    tryCancelingBatch,
  ],
  [
    'They are not sent. Texts that a device has already are sent all the same.',
    'Die SMS werden nicht gesendet. Hat ein Gerät eine schon, wird sie dennoch gesendet.',
    tryCancelingBatch,
  ],
  [
    'One message that no device has yet will not be sent, and no longer counts against the quota.',
    'Eine Nachricht, die noch bei keinem Gerät ist, wird nicht gesendet und zählt nicht mehr zum Kontingent.',
    tryCancelingFound,
  ],
  [
    '{count} messages that no device has yet will not be sent, and no longer count against the quota.',
    '{count} Nachrichten, die noch bei keinem Gerät sind, werden nicht gesendet und zählen nicht mehr zum Kontingent.',
    tryCancelingFound,
  ],
  [
    'The message is canceled, and deleted with its history.',
    'Die Nachricht wird abgebrochen und mit ihrem Verlauf gelöscht.',
    async () => {
      const number = nextNumber()
      const { id } = await send(number)
      await remove('sms_messages', id)
      expect(await claimFor([number])).toEqual([])
      expect(await list('sms_events', `message = "${id}"`)).toEqual([])
    },
  ],
  [
    'The message is deleted with its history. The device has the text already, and may still send it.',
    'Die Nachricht wird mit ihrem Verlauf gelöscht. Das Gerät hat die SMS schon und kann sie noch senden.',
    async () => {
      const number = nextNumber()
      const { id } = await send(number)
      expect(await claimFor([number])).toHaveLength(1)
      await remove('sms_messages', id)
      expect(await list('sms_messages', `to = "${number}"`)).toEqual([])
      expect(await list('sms_events', `message = "${id}"`)).toEqual([])
    },
  ],
  [
    'The message is deleted with its history. A sent text stays sent.',
    'Die Nachricht wird mit ihrem Verlauf gelöscht. Eine gesendete SMS bleibt gesendet.',
    async () => {
      const number = nextNumber()
      const { id } = await send(number)
      const [task] = await claimFor([number])
      await report(task, 'sent')
      await remove('sms_messages', id)
      expect(await list('sms_messages', `to = "${number}"`)).toEqual([])
      expect(await list('sms_events', `message = "${id}"`)).toEqual([])
    },
  ],
  [
    'A text that no device has taken by then is not sent.',
    'Eine SMS, die bis dahin kein Gerät übernommen hat, wird nicht gesendet.',
    async () => {
      const number = nextNumber()
      const { id } = await send(number, { ttl: 1 })
      const sentMs = Date.now()
      await until('its time has passed', async () => Date.now() > sentMs + 1_000)
      expect(await claimFor([number])).toEqual([])
      await until('the end of the text', async () => (await status(id)) === 'failed')
    },
  ],
  [
    'It expires as long after the new time as it would have after the old one.',
    'Sie läuft so lange nach der neuen Zeit ab, wie sie nach der alten abgelaufen wäre.',
    async () => {
      const { id } = await send(nextNumber(), { scheduled_at: LATER, ttl: 3600 })
      // as the dialog does, which also sends the time between the two
      const scheduled_at = '2099-11-21T08:00:00.000Z'
      await must(ann, 'PATCH', path(id), { scheduled_at, ttl: 3600 })
      expect((await readMessage(id)).expires_at).toBe('2099-11-21 09:00:00.000Z')
    },
  ],
  [
    'Programs that send {name} by its id, {id}, will be refused.',
    'Programme, die {name} über die ID {id} senden, werden abgelehnt.',
    async () => {
      const { id } = await create('sms_templates', { name: 'Hello', body: 'Hello' })
      const body = { recipients: [nextNumber()], template_id: id, variables: {} }
      expect((await ann.call('POST', '/api/sms/send-template', body)).status).toBe(200)
      await remove('sms_templates', id)
      expect((await ann.call('POST', '/api/sms/send-template', body)).status).toBe(400)
    },
  ],
  [
    'The SIM is not in the device. Texts for which this line was chosen fail, others stay as they are.',
    'Die SIM ist nicht im Gerät. SMS, für die diese Leitung gewählt ist, schlagen fehl; andere bleiben, wie sie sind.',
    async () => {
      const sims = (...slots: number[]) =>
        must(phone, 'POST', '/api/devices/heartbeat', {
          sims: slots.map((slot) => ({ slot, carrier: `Carrier ${slot}` })),
        })
      await sims(1, 2)
      const [line] = await list('lines', `device = "${phone.id}" && slot = 2`)
      const named = await send(nextNumber(), { line_id: line.id })
      const other = await send(nextNumber(), { scheduled_at: LATER })
      await sims(1)
      await remove('lines', line.id)
      await until('the end of the text', async () => {
        await sweep()
        return (await status(named.id)) === 'failed'
      })
      expect((await readMessage(named.id)).error_message).toBe(
        'The line of this message was deleted',
      )
      expect(await status(other.id)).toBe('pending')
    },
  ],
  [
    'The waiting messages of a device that is off go to other devices, but not those for which this device was chosen.',
    'Die wartenden Nachrichten eines ausgeschalteten Geräts gehen an andere Geräte, aber nicht jene, für die dieses Gerät gewählt ist.',
    async () => {
      const shop = await openShop(server)
      const text = await shop.send(nextNumber())
      const named = await shop.send(nextNumber(), { device_id: shop.phone.id })
      const other = await server.pair(shop.ann)
      await shop.change('devices', shop.phone.id, { enabled: false })
      expect(await claimAfterSweep(() => shop.claim(other))).toEqual([text.id])
      expect((await shop.readMessage(named.id)).error_message).toBe('')
    },
  ],
  [
    'The waiting texts of a line that is off go to other lines, but not those for which this line was chosen.',
    'Die wartenden SMS einer ausgeschalteten Leitung gehen an andere Leitungen, aber nicht jene, für die diese Leitung gewählt ist.',
    async () => {
      const shop = await openShop(server)
      await must(shop.phone, 'POST', '/api/devices/heartbeat', {
        sims: [1, 2].map((slot) => ({ slot, carrier: `Carrier ${slot}` })),
      })
      const [first, second] = await shop.list('lines')
      await shop.change('lines', second.id, { enabled: false })
      const text = await shop.send(nextNumber())
      const named = await shop.send(nextNumber(), { line_id: first.id })
      await shop.change('lines', second.id, { enabled: true })
      await shop.change('lines', first.id, { enabled: false })
      expect(await claimAfterSweep(() => shop.claim())).toEqual([text.id])
      expect((await shop.readMessage(named.id)).error_message).toBe('')
    },
  ],
  [
    'You can undo this for a few seconds. Then the device is signed out and sends nothing more. The messages stay.',
    'Sie können dies einige Sekunden lang rückgängig machen. Danach wird das Gerät getrennt und sendet nichts mehr. Die Nachrichten bleiben.',
    async () => {
      const lost = await server.pair(ann)
      const { id } = await send(nextNumber(), { device_id: lost.id })
      const [task] = await claim(lost)
      await must(lost, 'POST', '/api/devices/report', {
        items: [{ id, attempt: task.attempt, status: 'sent' }],
      })
      await remove('devices', lost.id)
      expect((await lost.call('POST', '/api/devices/claim', {})).status).toBe(401)
      expect(await status(id)).toBe('sent')
    },
  ],
  ...(
    [
      [
        'One scheduled text fails, because this device was chosen for it. To keep it, cancel it first and send it by another device.',
        'Eine geplante SMS schlägt fehl, weil für sie dieses Gerät gewählt ist. Damit sie ankommt, brechen Sie sie vorher ab und senden Sie sie mit einem anderen Gerät.',
      ],
      [
        '{count} scheduled texts fail, because this device was chosen for them. To keep them, cancel them first and send them by another device.',
        '{count} geplante SMS schlagen fehl, weil für sie dieses Gerät gewählt ist. Damit sie ankommen, brechen Sie sie vorher ab und senden Sie sie mit einem anderen Gerät.',
      ],
    ] as const
  ).map(
    ([english, german]): Sentence => [
      english,
      german,
      async () => {
        const shop = await openShop(server)
        await shop.send(nextNumber(), { scheduled_at: LATER })
        const named = await shop.send(nextNumber(), {
          device_id: shop.phone.id,
          scheduled_at: LATER,
        })
        const filter = `device = "${shop.phone.id}" && status = "pending"`
        expect((await shop.list('sms_messages', filter)).map(({ id }) => id)).toEqual([named.id])
        await shop.remove('devices', shop.phone.id)
        await until('the end of the text', async () => {
          await sweep()
          return (await shop.readMessage(named.id)).status === 'failed'
        })
        expect((await shop.readMessage(named.id)).error_message).toBe(
          'The device of this message was deleted',
        )
      },
    ],
  ),
  ...(
    [
      [
        'One message waits for it. If this device was chosen for the message, it fails; else it goes to another device.',
        'Eine Nachricht wartet darauf. Ist für sie dieses Gerät gewählt, schlägt sie fehl; sonst geht sie an ein anderes Gerät.',
      ],
      [
        '{count} messages wait for it. Those for which this device was chosen fail; the others go to other devices.',
        '{count} Nachrichten warten darauf. Jene, für die dieses Gerät gewählt ist, schlagen fehl; die anderen gehen an andere Geräte.',
      ],
    ] as const
  ).map(
    ([english, german]): Sentence => [
      english,
      german,
      async () => {
        const shop = await openShop(server)
        const text = await shop.send(nextNumber())
        const named = await shop.send(nextNumber(), { device_id: shop.phone.id })
        const other = await server.pair(shop.ann)
        await shop.remove('devices', shop.phone.id)
        expect(await claimAfterSweep(() => shop.claim(other))).toEqual([text.id])
        await until('the end of the text', async () => {
          await sweep()
          return (await shop.readMessage(named.id)).status === 'failed'
        })
        expect((await shop.readMessage(named.id)).error_message).toBe(
          'The device of this message was deleted',
        )
      },
    ],
  ),
  [
    'Each goes out as a new message, by any of your devices, and counts against your quota. What was sent again before is not sent a third time.',
    'Jede geht als neue Nachricht über eines Ihrer Geräte hinaus und zählt zu Ihrem Kontingent. Was schon einmal neu gesendet wurde, wird nicht ein drittes Mal gesendet.',
    async () => {
      const numbers = [nextNumber(), nextNumber()]
      const { batch_id } = await must(ann, 'POST', '/api/sms/send', {
        recipients: numbers,
        body: 'Hello',
      })
      for (const task of await claimFor(numbers)) await report(task, 'failed')
      const again = () => ann.call('POST', `/api/sms/batches/${batch_id}/retry`, { include: [] })
      expect((await again()).body.recipients_count).toBe(2)
      expect(await claimFor(numbers)).toHaveLength(2)
      await again()
      for (const to of numbers) expect(await list('sms_messages', `to = "${to}"`)).toHaveLength(2)
    },
  ],
]

testSentences(SENTENCES)
