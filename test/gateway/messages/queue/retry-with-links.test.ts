import { renewStopLinks } from '../../../../src/gateway/base/stop-link.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'

// A text that is sent again has links at the present PUBLIC_URL.

const NOW = 'https://sms.example.com'
const server = await startServerWithDevices({ PUBLIC_URL: NOW })
const { db } = server.server.services.store
const ann = await server.makeUser()
const phone = await server.pair(ann)
let numbers = 96_000_000

/** A failed text whose links were made under another address. */
async function failOldText(old: string, recipients: readonly string[]) {
  const sent = await must(ann, 'POST', '/api/sms/send', {
    recipients,
    body: 'Angebot! Ende: {{stop_link}} ok',
    variables: {},
  })
  await server.query(
    `update sms_messages set body = replace(body, $1, $2), status = 'failed' where batch_id = $3`,
    [NOW, old, sent.batch_id],
  )
  return sent
}
const textOf = async (id: string) =>
  String((await server.query('select body from sms_messages where id = $1', [id]))[0]![0])
const OURS = /^Angebot! Ende: https:\/\/sms\.example\.com\/leave\/[\w-]{32} ok$/

test.each(['http://localhost:8090', 'https://old.example', 'https://old.example/sms'])(
  'a text with a link at %s is sent again with the present address',
  async (old) => {
    const { message_ids } = await failOldText(old, [`+4915${numbers++}`])
    const path = `/api/sms/messages/${message_ids[0]}/retry`
    const again = await must(ann, 'POST', path, {})
    expect(await textOf(again.message_ids[0])).toMatch(OURS)
    expect(await must(ann, 'POST', path, {})).toEqual(again)
  },
)

test('all texts of a batch are sent again with the present address', async () => {
  const { batch_id } = await failOldText('https://old.example', [
    `+4915${numbers++}`,
    `+4915${numbers++}`,
  ])
  const again = await must(ann, 'POST', `/api/sms/batches/${batch_id}/retry`, {})
  for (const id of again.message_ids) expect(await textOf(id)).toMatch(OURS)
  expect(await must(phone, 'POST', '/api/devices/claim', { limit: 10 })).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ id: again.message_ids[0] })]),
  })
})

test('links of others, forged links and links at the present address stay', async () => {
  const forged = `https://old.example/leave/${'a'.repeat(32)}`
  for (const text of [
    forged,
    `See ${forged}`,
    'https://shop.example/leave/abc',
    `https://shop.example/leave/${'a'.repeat(33)}`,
    `https://shop.example/x?to=/leave/${'a'.repeat(32)}`,
    '',
  ])
    expect(await renewStopLinks(db, { publicUrl: NOW }, text)).toBe(text)
})
