import { request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  openStream,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const HOME = '+4915112345678'
const ABROAD = '+447911123456'

/** An account whose phone holds a text to each number, sent by Ann or an API key of hers. */
async function startHeld(isOfKey: boolean) {
  const ann = await server.makeUser()
  const phone = await server.pair(ann)
  const created = await must(ann, 'POST', '/api/collections/api_keys/records', {
    user: ann.id,
    name: 'App',
    scopes: ['all:any'],
  })
  const body = { recipients: [HOME, ABROAD], body: 'Hello' }
  const sent = isOfKey
    ? (await request(server.url, 'POST', '/api/sms/send', body, { 'x-api-key': created.key })).body
    : await must(ann, 'POST', '/api/sms/send', body)
  await expect
    .poll(async () => {
      await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
      return statesOf(ann)
    })
    .toEqual([
      [HOME, 'sending', ''],
      [ABROAD, 'sending', ''],
    ])
  return { ann, phone, key: created.id as string, sent }
}

const statesOf = ({ id }: Client) =>
  server.query(
    `select m."to", d.state, d.refused from sms_dispatch d join sms_messages m on m.id = d.message
    where d."user" = $1 order by m."to" desc`,
    [id],
  )

const REFUSED = 'Destination not allowed'
const toSettings = (destinations: string) => async (ann: Client) => {
  const path = '/api/collections/user_settings/records'
  const [row] = (await must(ann, 'GET', path)).items
  if (row) await must(ann, 'PATCH', `${path}/${row.id}`, { destinations })
  else await must(ann, 'POST', path, { user: ann.id, destinations })
}
const toKey = (destinations: string) => (ann: Client, key: string) =>
  must(ann, 'PATCH', `/api/collections/api_keys/records/${key}`, { destinations })

test.each([
  ['of its account', true, toSettings('+49')],
  ['of its account by a prefix that is forbidden', false, toSettings('-44')],
  ['of its API key', true, toKey('+49')],
])(
  'a text that a phone holds is called back by new destinations %s',
  async (_, isOfKey, narrow) => {
    const { ann, phone, key } = await startHeld(isOfKey)
    const stream = await openStream(server.url, phone.token)
    await narrow(ann, key)
    expect(await statesOf(ann)).toEqual([
      [HOME, 'sending', ''],
      [ABROAD, 'sending', REFUSED],
    ])
    const told = JSON.parse((await stream.next('canceled')).data)
    await stream.close()
    const report = { ...told, status: 'failed', not_sent: true, error_message: 'Canceled' }
    await must(phone, 'POST', '/api/devices/report', { items: [report] })
    const ended = await must(ann, 'GET', `/api/collections/sms_messages/records/${told.id}`)
    expect(ended).toMatchObject({ to: ABROAD, status: 'failed', error_message: REFUSED })
  },
)

test.each([
  ['of an API key that did not send it', false, toKey('+49')],
  ['that allow it', true, toKey('+44,+49')],
  ['that allow all', true, toSettings('')],
])('a text that a phone holds stays by destinations %s', async (_, isOfKey, change) => {
  const { ann, key } = await startHeld(isOfKey)
  await change(ann, key)
  expect((await statesOf(ann)).map(([, , refused]) => refused)).toEqual(['', ''])
})
