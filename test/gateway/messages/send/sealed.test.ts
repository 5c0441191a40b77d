import { makeAccountSender } from '../../../../src/gateway/base/make-sender.ts'
import { applyReports } from '../../../../src/gateway/messages/queue/apply-reports.ts'
import { claimMessages } from '../../../../src/gateway/messages/queue/claim-messages.ts'
import { sweepQueue } from '../../../../src/gateway/messages/queue/sweep-queue.ts'
import { acceptSend } from '../../../../src/gateway/messages/send/accept-send.ts'
import { makePlainSend, PLAIN_OPTIONS } from '../../../../src/gateway/messages/send/send-options.ts'
import { openAcceptor } from '../../../../src/gateway/messages/send/store-offers.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { tablesWith } from '../../../support/database/dump.ts'
import { ANN, PHONES, startServerWithUsers } from '../../../support/server/server-with-users.ts'

// The sending device alone learns the text; all others read the one with dots.

// one segment of seven-bit characters; with dots, which need sixteen bits, it would be two
const text = (code: string) =>
  `Your code is ${code}. Tell it to nobody, and not to somebody who calls you from the shop.`
const TRUE = text('431977')
const SHOWN = text('••••••')

const server = await startServerWithUsers()
const { store } = server
const ann = await server.signedIn('users', ANN.id)
const config = readConfig({})

const sendSealed = async (options: object = {}, device = ''): Promise<string> => {
  const services = { store, config, acceptor: openAcceptor(store, config) }
  const body = makePlainSend(
    '+4911111',
    { body: TRUE, shown: SHOWN },
    { ...PLAIN_OPTIONS, ...options },
    device,
  )
  const asked = { read: () => ({ body }) }
  return (await acceptSend(services, makeAccountSender(ANN.id, ''), asked)).ids[0]!
}
const claim = (id: string) => {
  const device = { id, user: ANN.id, phone: '', enabled: true, lastSeen: '', isLimited: false }
  return claimMessages(store, device, 9, 120)
}

test('only the claiming device gets the true text, also when it claims again; all tables hold dots', async () => {
  const id = await sendSealed({}, PHONES[0])
  expect(await server.message(id)).toMatchObject({ body: SHOWN, segments: 1, status: 'assigned' })
  for (let i = 0; i < 2; i++) expect(await claim(PHONES[0])).toMatchObject([{ id, body: TRUE }])
  expect(await tablesWith(store.db, ['431977'])).toEqual([])
  await server.rows('delete from sms_dispatch')
})

test('a second device that takes the message over gets the true text', async () => {
  const id = await sendSealed({ guarantee: 'at_least_once' })
  const device = String((await server.message(id)).device)
  expect(await claim(device)).toMatchObject([{ id, body: TRUE }])
  await server.rows(`update devices set enabled = false where id = $1`, [device])
  await server.rows(`update sms_dispatch set lease_until = now() where message = $1`, [id])
  await sweepQueue(store, config.deviceOnlineSeconds)
  await server.rows(`update sms_dispatch set due_at = now() where message = $1`, [id])
  const other = String((await server.message(id)).device)
  expect(other).not.toBe(device)
  expect(await claim(other)).toMatchObject([{ id, attempt: 2, body: TRUE }])
  await server.rows('delete from sms_dispatch')
  await server.rows('update devices set enabled = true')
})

test("a sealed text that the server's key cannot open is not sent", async () => {
  await sendSealed({}, PHONES[0])
  await server.rows(`update sms_dispatch set sealed = left(sealed, -8) || 'AAAAAAA='`)
  expect(await claim(PHONES[0])).toEqual([])
  await server.rows('delete from sms_dispatch')
})

describe("a device's error about a sealed text", () => {
  const report = async (id: string, values: object) => {
    const { attempt } = (await claim(PHONES[0]))[0]!
    const device = {
      id: PHONES[0],
      user: ANN.id,
      phone: '',
      enabled: true,
      lastSeen: '',
      isLimited: false,
    }
    const failed = { id, attempt, status: 'failed' as const, ...values }
    await applyReports(store, device, [failed], config.deviceOnlineSeconds)
    return String((await server.message(id)).error_message)
  }

  test.each([
    ['quotes the text', TRUE, '***'],
    ['quotes the code', 'spam: 431977', 'spam: ***'],
    ['contains the code in Base64', `pdu ${Buffer.from(TRUE).toString('base64')}`, 'pdu ***g=='],
    [
      'contains the code in a URL',
      `GET /send?text=${encodeURIComponent(TRUE)}`,
      'GET /send?text=***',
    ],
    ['does not contain the code', 'No signal 0311', 'No signal 0311'],
  ])(
    'a device\'s error about a sealed text that %s is stored as "$2"',
    async (_, error_message, kept) => {
      const id = await sendSealed({}, PHONES[0])
      expect(await report(id, { error_message })).toBe(kept)
      expect(await tablesWith(store.db, ['431977', Buffer.from(TRUE).toString('base64')])).toEqual(
        [],
      )
    },
  )

  test("a device's error about a sealed text is masked when the text moves to another device", async () => {
    const id = await sendSealed({}, PHONES[0])
    await report(id, { error_message: 'spam: 431977', not_sent: true })
    expect(await tablesWith(store.db, ['431977'])).toEqual([])
    await server.rows('delete from sms_dispatch')
  })

  test("a device's error about a sealed text is dropped after the text was sent, when the server no longer has the code", async () => {
    const id = await sendSealed({}, PHONES[0])
    const { attempt } = (await claim(PHONES[0]))[0]!
    const device = {
      id: PHONES[0],
      user: ANN.id,
      phone: '',
      enabled: true,
      lastSeen: '',
      isLimited: false,
    }
    for (const status of ['sent', 'failed'] as const)
      await applyReports(
        store,
        device,
        [{ id, attempt, status, error_message: 'not delivered: 431977' }],
        60,
      )
    expect((await server.message(id)).error_message).toBe('The device could not send the message')
    expect(await tablesWith(store.db, ['431977'])).toEqual([])
  })
})

test('a sealed text can be neither changed while it waits nor sent again', async () => {
  const id = await sendSealed({ scheduledAt: '2098-01-01 00:00:00.000Z' })
  expect((await server.ask('PATCH', `messages/${id}`, { body: 'other' }, ann)).body.error).toBe(
    'not_changeable',
  )
  expect((await server.ask('POST', `messages/${id}/cancel`, undefined, ann)).status).toBe(200)
  const again = await server.ask('POST', `messages/${id}/retry`, undefined, ann)
  expect([again.status, again.body.error]).toEqual([409, 'not_retriable'])
  expect(await tablesWith(store.db, ['431977'])).toEqual([])
})

test('a sealed text to several people is not sent again', async () => {
  const services = { store, config, acceptor: openAcceptor(store, config) }
  const options = { ...PLAIN_OPTIONS, scheduledAt: '2098-01-01 00:00:00.000Z' }
  const one = makePlainSend('+4911111', { body: TRUE, shown: SHOWN }, options)
  const body = { ...one, recipients: ['+4911111', '+4922222'] }
  const asked = { read: () => ({ body }) }
  const { batch, ids } = await acceptSend(services, makeAccountSender(ANN.id, ''), asked)
  expect((await server.ask('POST', `batches/${batch}/cancel`, undefined, ann)).status).toBe(200)
  const again = await server.ask('POST', `messages/${ids[0]}/retry`, undefined, ann)
  expect([again.status, again.body.error]).toEqual([409, 'not_retriable'])
  const all = await server.ask('POST', `batches/${batch}/retry`, { include: ['canceled'] }, ann)
  expect(all.body.message_ids).toEqual([])
})
