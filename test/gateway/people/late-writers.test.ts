import type { ServerResponse } from 'node:http'
import { endOldMessages } from '../../../src/gateway/retention/end-old-messages.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { tablesWith } from '../../support/database/dump.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { mms, mmsPoster, type SentFile } from '../../support/smsgate/mms.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { until } from '../../support/until.ts'
import { ended } from './person-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { store } = gateway.server.services
const extensions = collectExtensions({ webhookAllowPrivate: true })
const shop = await gateway.makeUser()
const phone = await gateway.pair(shop)
const record = (collection: string, values: object) =>
  must(shop, 'POST', `/api/collections/${collection}/records`, { user: shop.id, ...values })
const settings = await record('user_settings', { country: 'DE' })
const keep = (days: object) =>
  must(shop, 'PATCH', `/api/collections/user_settings/records/${settings.id}`, days)

async function erase(number: string) {
  const { id } = await must(shop, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  expect(await ended(shop, id)).toMatchObject({ state: 'done' })
}
/** As if all texts so far were sent and received forty days ago, and kept for thirty. */
async function endOld(mode: 'redact' | 'delete', days = 30) {
  const at = `pb_text(now() - interval '40 days')`
  await store.db.query(
    `update sms_messages set created = ${at}, updated = ${at} where "user" = $1`,
    [shop.id],
  )
  await endOldMessages(store, extensions, { mode, days })
}
const RECEIVED_AT = '2026-11-20T07:00:00Z'
const report = (from: string, body: string) =>
  must(phone, 'POST', '/api/devices/incoming', {
    items: [{ from, body, received_at: RECEIVED_AT }],
  })

test.each([
  ['the erasure of the person', () => erase('+4915110000001')],
  ['the end of the period of texts', () => endOld('redact')],
])('the answer of a webhook that comes after %s is not stored', async (_, end) => {
  const open: ServerResponse[] = []
  const receiver = await startReceiver()
  receiver.behave((_, res) => void open.push(res))
  await record('webhooks', {
    url: receiver.url,
    events: ['message.received'],
    format: 'template',
    preset: 'custom',
    method: 'POST',
    headers: { 'x-text': '{{data.from}}' },
    body: '{{data.body}}',
  })
  await report('+4915110000001', `Secretly ${open.length}${_}`)
  await until('the call', () => open.length === 1)
  await end()
  open[0]!.end('You sent: Secretly, by +4915110000001')
  const recorded = async () =>
    (
      await gateway.query(
        `select attempts, response_body, status from webhook_deliveries where attempts > 0`,
      )
    ).at(-1)
  await until('the outcome', recorded)
  expect(await tablesWith(store.db, ['Secretly'])).toEqual([])
  expect(await recorded()).toEqual([1, 'Deleted with the text', 'delivered'])
  await store.db.query('delete from webhook_deliveries')
  await store.db.query('delete from webhooks')
})

test('the words of a device about a text that was deleted meanwhile are not stored', async () => {
  const number = '+4915110000002'
  const { message_ids } = await must(shop, 'POST', '/api/sms/send', {
    recipients: [number],
    body: 'Quoted',
  })
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 50 })
  const { id, attempt } = items.find((item: { id: string }) => item.id === message_ids[0])
  const tell = (more: object) =>
    must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, ...more }] })
  await tell({ status: 'sent' })
  await endOld('redact')
  await tell({ status: 'failed', error_message: 'The carrier refused "Quoted"' })
  const read = () => must(shop, 'GET', `/api/collections/sms_messages/records/${id}`)
  expect(await read()).toMatchObject({ status: 'failed', to: number, body: '', error_message: '' })
  expect(await tablesWith(store.db, ['Quoted'])).toEqual([])
})

test('a text that was deleted is not stored again when its device repeats the report', async () => {
  const { ids } = await report('+4915110000003', 'Once')
  await endOld('delete')
  const stored = () => gateway.query('select body from sms_messages where id = any($1)', [ids])
  expect(await stored()).toEqual([])
  expect((await report('+4915110000003', 'Once')).ids).toEqual(ids)
  expect(await stored()).toEqual([])
  const other = await report('+4915110000003', 'Again')
  await must(shop, 'DELETE', `/api/collections/sms_messages/records/${other.ids[0]}`)
  await report('+4915110000003', 'Again')
  expect(await tablesWith(store.db, ['Again'])).toEqual([])
})

test('a file of a text is not stored once the account has deleted files of that age', async () => {
  await keep({ keep_files: 20 })
  const postMms = await mmsPoster(
    await joinPhone({ mobileUrl: `${gateway.url}/api/mobile/v1` }, shop),
  )
  const file: SentFile = ['a.vcf', Buffer.from('BEGIN:VCARD FN:Zebulon END:VCARD'), 'text/x-vcard']
  const payload = mms([file], { sender: '+4915110000005' })
  expect(await postMms(payload)).toBe(204)
  const files = () => gateway.query(`select name from _files where collection = 'sms_messages'`)
  expect(await files()).toHaveLength(1)
  await endOld('redact', 50)
  expect(await files()).toEqual([])
  expect(await postMms(payload)).toBe(204)
  expect(await files()).toEqual([])
})

test('the call of a hook that would text an erased person is noted without its words', async () => {
  const number = '+4915110000004'
  await erase(number)
  const hook = await record('hooks', { name: 'Leads', preset: 'text', recipients_from: 'to' })
  const lead = { to: number, text: 'Zebulon asks' }
  await must(gateway.guest, 'POST', `/api/hooks/${hook.secret}`, lead)
  const calls = await gateway.query(
    'select body, error, texts::text from hook_calls where hook = $1',
    [hook.id],
  )
  expect(calls).toEqual([['', '', '[]']])
})
