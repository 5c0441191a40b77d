import { ANN, startServerWithUsers } from '../support/server/server-with-users.ts'
import { DOOR_SENDS, type DoorSend, sendByDoor } from './door-sends.ts'

// How much a send-only API takes: words, recipients by name, and the address of a GET.

const MAX_RECIPIENTS = 5
const server = await startServerWithUsers({ SMS_MAX_RECIPIENTS: String(MAX_RECIPIENTS) })
const TO = '+4915112345678'

beforeEach(() => server.rows('delete from sms_messages'))
const countSent = async () => (await server.rows('select from sms_messages')).length

const VENDEL: DoorSend = {
  at: 'POST /vendel/api/sms/send',
  headers: (key) => ({ 'x-api-key': key }),
  body: ({ to, text }) => ({ recipients: [to], body: text }),
}
const send = (door: DoorSend, to: string, text: string) =>
  sendByDoor(server.url, door, { to, text, key: ANN.key, user: ANN.email })

// nine bytes each in an address, the most that a character of one unit has
test.each([...DOOR_SENDS, VENDEL])('$at sends 1,600 characters, and no more', async (door) => {
  expect((await send(door, TO, '書'.repeat(1_601))).status).toBe(400)
  expect(await countSent()).toBe(0)
  expect((await send(door, TO, '書'.repeat(1_600))).status).toBeLessThan(300)
  expect(await server.rows('select length(body) from sms_messages')).toEqual([[1_600]])
})

test.each(DOOR_SENDS.filter(({ at }) => at.startsWith('GET')))(
  '$at refuses an address of more than 16 KiB',
  async (door) => {
    expect((await send(door, TO, 'x'.repeat(16 << 10))).status).toBe(431)
    expect(await countSent()).toBe(0)
  },
)

describe.each(['GET', 'POST'] as const)('SMSEagle by %s', (method) => {
  const sendToNamed = (path: string, name: string, value: string): Promise<number> =>
    send(
      {
        at: `${method} /http_api/${path}`,
        fields: ({ key, text }) => ({ access_token: key, message: text, [name]: value }),
      },
      '',
      'Hi',
    ).then(({ status }) => status)
  const makeContacts = async (count: number, group: string) => {
    await server.rows('delete from contacts where name like $1', ['Guest %'])
    await server.rows(
      `insert into contacts (id, "user", name, phone, groups, created, updated)
      select pb_new_id(), $1, 'Guest ' || i, '+49151700000' || i, array[$2], pb_text(now()), pb_text(now())
      from generate_series(1, $3::int) i`,
      [ANN.id, group, count],
    )
  }
  const makeGroup = async () =>
    (
      await server.rows(
        `insert into contact_groups (id, "user", name, created, updated)
        values (pb_new_id(), $1, 'guests ${method}', pb_text(now()), pb_text(now())) returning id`,
        [ANN.id],
      )
    )[0]![0] as string

  test('SMSEagle sends to a group of SMS_MAX_RECIPIENTS people at most', async () => {
    const group = await makeGroup()
    await makeContacts(MAX_RECIPIENTS + 1, group)
    expect(await sendToNamed('send_togroup', 'groupname', `guests ${method}`)).toBe(400)
    expect(await countSent()).toBe(0)
    await makeContacts(MAX_RECIPIENTS, group)
    expect(await sendToNamed('send_togroup', 'groupname', `guests ${method}`)).toBe(200)
    expect(await countSent()).toBe(MAX_RECIPIENTS)
  })

  test('SMSEagle sends to SMS_MAX_RECIPIENTS contacts at most', async () => {
    await makeContacts(MAX_RECIPIENTS + 1, '')
    const names = Array.from({ length: MAX_RECIPIENTS + 1 }, (_, i) => `Guest ${i + 1}`)
    expect(await sendToNamed('send_tocontact', 'contactname', names.join(','))).toBe(400)
    expect(await countSent()).toBe(0)
    expect(await sendToNamed('send_tocontact', 'contactname', names.slice(1).join(','))).toBe(200)
    expect(await countSent()).toBe(MAX_RECIPIENTS)
  })
})
