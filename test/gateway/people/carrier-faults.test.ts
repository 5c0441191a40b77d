import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { ended } from './person-fixture.ts'

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const ACCOUNT = { preset: 'pocketsms', url: 'https://carrier.example' }
let people = 0

/** An erasure of a person beside a carrier with this fault. Returns the fault that is left. */
async function eraseBeside(name: string, fault: string): Promise<string> {
  const user = await server.makeUser()
  const phone = `+4915188${String(60_000 + people++)}`
  await must(user, 'POST', '/api/collections/contacts/records', { user: user.id, phone, name })
  const carrier = { account: ACCOUNT, secret: 'psk_1' }
  const { device } = await must(user, 'POST', '/api/devices/carriers', carrier)
  await server.query('update device_carriers set fault = $2 where device = $1', [
    device,
    fault.replace('NUMBER', phone),
  ])
  const { id } = await must(user, 'POST', '/api/person/erase', { number: phone, reason: 'Asked' })
  expect(await ended(user, id)).toMatchObject({ state: 'done' })
  const rows = await server.query('select fault from device_carriers where device = $1', [device])
  return String(rows[0]![0])
}

test.each([
  ['Refused: Zebulon Kwarq is blocked', 'Refused: … is blocked'],
  ['Refused: NUMBER is blocked', 'Refused: +… is blocked'],
  ['{"to":"…","name":"Zebulon Kwarq"}', '{"to":"…","name":"…"}'],
  ['Zebulon Kwarq, NUMBER', '…, +…'],
  ['No credit', 'No credit'],
])('the fault "%s" of a carrier becomes "%s"', async (fault, left) =>
  expect(await eraseBeside('Zebulon Kwarq', fault)).toBe(left),
)

test('a short name is hidden as a word of its own', async () => {
  expect(await eraseBeside('Li', 'Li is no line')).toBe('… is no line')
})
