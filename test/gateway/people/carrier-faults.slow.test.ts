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

/** An erasure beside a waiting mail about a carrier's fault. Returns the payload and error that are left. */
async function eraseBesideMail(name: string, fault: string, error = '') {
  const user = await server.makeUser()
  const phone = `+4915188${String(60_000 + people++)}`
  await must(user, 'POST', '/api/collections/contacts/records', { user: user.id, phone, name })
  const payload = JSON.stringify([{ name: 'Bird', fault, waiting: 0 }])
  const jobs = await server.query(
    `insert into _jobs (kind, holder, key, payload, error, due_at)
      values ('alarm_mail', $1, $2, $3, $4, now() + interval '1 day') returning id`,
    [user.id, phone, payload, error],
  )
  const { id } = await must(user, 'POST', '/api/person/erase', { number: phone, reason: 'Asked' })
  expect(await ended(user, id)).toMatchObject({ state: 'done' })
  const rows = await server.query('select payload, error from _jobs where id = $1', [jobs[0]![0]])
  return { payload: JSON.parse(String(rows[0]![0])), error: String(rows[0]![1]) }
}

test.each([
  ['Zebulon Kwarq', 'Refused: Zebulon Kwarq is blocked', 'Refused: … is blocked'],
  ['Zoë "Zed" Müller', 'To Zoë "Zed" Müller: 400', 'To …: 400'],
  ['Έλενα Παπαδοπούλου', 'Ο Έλενα Παπαδοπούλου, +…', 'Ο …, +…'],
  ['محمد علي', '{"to":"محمد علي"}', '{"to":"…"}'],
  ['李雷', '收件人 李雷 无效', '收件人 … 无效'],
  ['Zebulon Kwarq', 'No credit', 'No credit'],
])('a mail that waits does not name %s: %s', async (name, fault, left) => {
  const { payload } = await eraseBesideMail(name, fault)
  expect(payload).toEqual([{ name: 'Bird', fault: left, waiting: 0 }])
})

test('the error of a mail that waits does not name an erased person', async () => {
  const { error } = await eraseBesideMail('Zebulon Kwarq', 'No', '550 Zebulon Kwarq is full')
  expect(error).toBe('550 … is full')
})

test.each([
  ['Zoë "Zed" Müller', '{"name":"Zoë \\"Zed\\" Müller"}', '{"name":"…"}'],
  ['Zoë Müller', '{"name":"Zo\\u00eb M\\u00fcller"}', '{"name":"…"}'],
  ['Zoë Müller', 'To Zoe\u0308 Mu\u0308ller: 400', 'To …: 400'],
  ['Zoe\u0308 Mu\u0308ller', 'To Zoë Müller: 400', 'To …: 400'],
  ['Іван Б', '{"to":"\\u0406\\u0432\\u0430\\u043D \\u0411"}', '{"to":"…"}'],
  ['O\u2019Neil 😀', '{"to":"O\\u2019Neil \\ud83d\\ude00"}', '{"to":"…"}'],
  ['A/S Kwarq', '{"to":"A\\/S Kwarq"}', '{"to":"…"}'],
  ['Έλενα Παπαδοπούλου', 'Παραλήπτης Έλενα Παπαδοπούλου', 'Παραλήπτης …'],
  ['Ann (office)', 'Ann (office): 400', '…: 400'],
  ['李', '收件人：李。', '收件人：…。'],
])('the fault of a carrier does not name %s: %s', async (name, fault, left) =>
  expect(await eraseBeside(name, fault)).toBe(left),
)
