import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Texts that the owner of a phone wrote and sent on the phone itself.

const ZOE = '+4915112345678'
const RECORDS = '/api/collections'

const server = await startServerWithDevices()
const user = await server.makeUser()
const phone = await server.pair(user, { phone: '+4930123' })

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 7, 0, second)).toISOString()
const hear = async (body: string, second: number) => {
  const items = [{ from: ZOE, body, received_at: at(second) }]
  expect((await phone.call('POST', '/api/devices/incoming', { items })).status).toBe(200)
}
const type = async (body: string, second: number, to = ZOE) => {
  const items = [{ to, body, sent_at: at(second) }]
  expect((await phone.call('POST', '/api/devices/typed', { items })).status).toBe(204)
}
const list = async (collection: string, filter = '') => {
  const query = `?sort=created&filter=${encodeURIComponent(filter)}`
  return (await user.call('GET', `${RECORDS}/${collection}/records${query}`)).body.items
}
const typed = () => list('sms_messages', 'client_ref ~ "phone:"')
const readUsed = async () => (await user.call('GET', '/api/sms/usage')).body.used
const conversation = async () => (await list('conversations'))[0]

test('a typed text is a sent text of its owner in the conversation, and is never sent again', async () => {
  await hear('Where are you?', 1)
  await user.call('POST', '/api/sms/send', { recipients: ['+4915187654321'], body: 'Hi' })
  const used = await readUsed()
  for (let i = 0; i < 2; i++) await type('On my way', 2)
  const [message, ...more] = await typed()
  expect(more).toEqual([])
  expect(message).toMatchObject({
    status: 'sent',
    to: ZOE,
    from: '+4930123',
    body: 'On my way',
    device: phone.id,
    sent_by: user.id,
    client_ref: `phone:${message.id}`,
    sent_at: '2026-11-20 07:00:02.000Z',
    segments: 1,
  })
  expect(await conversation()).toMatchObject({
    last_text: 'On my way',
    last_type: 'outgoing',
    last_message: message.id,
    unanswered: false,
  })
  const claimed = (await phone.call('POST', '/api/devices/claim', {})).body.items
  expect(claimed).toMatchObject([{ body: 'Hi' }])
  expect(await list('sms_events', `message = "${message.id}"`)).toEqual([])
  expect([used, await readUsed()]).toEqual([1, 1])
})

test('a typed text is stored when quota and limits are used up, and does not count in them', async () => {
  const line = (await list('lines'))[0].id
  const set = async (daily_limit: number, monthly_quota: number) => {
    const path = `${RECORDS}/lines/records/${line}`
    expect((await user.call('PATCH', path, { daily_limit })).status).toBe(200)
    await server.query('update users set monthly_quota = $2 where id = $1', [
      user.id,
      monthly_quota,
    ])
  }
  const sendOne = (to: string) =>
    user.call('POST', '/api/sms/send', { recipients: [to], body: 'Hi' })
  await set(2, 1)
  const before = (await typed()).length
  await type('Still here', 3)
  await type('Still here', 3)
  expect(await typed()).toHaveLength(before + 1)
  expect(await readUsed()).toBe(1)
  expect((await sendOne('+4915187654322')).status).toBe(402)
  // the line has handed out one text, and its owner has typed two
  await set(2, 0)
  expect((await sendOne('+4915187654323')).status).toBe(200)
  const claimed = (await phone.call('POST', '/api/devices/claim', {})).body.items
  expect(claimed).toContainEqual(expect.objectContaining({ to: '+4915187654323' }))
  await set(0, 0)
  await deleteRecord('sms_messages', (await findTyped('Still here')).id)
})

test('an older typed text does not replace the last text of the conversation', async () => {
  await hear('And now?', 9)
  await type('Two minutes', 5)
  expect(await conversation()).toMatchObject({ last_text: 'And now?', unanswered: true })
  expect(await typed()).toHaveLength(2)
})

test('a typed text to a number without a conversation is not stored', async () => {
  await type('Dinner is ready', 20, '+4915199999999')
  expect(await typed()).toHaveLength(2)
})

/** A report of several texts at once. */
const typeAll = (texts: readonly (readonly [body: string, second: number])[]) =>
  phone.call('POST', '/api/devices/typed', {
    items: texts.map(([body, second]) => ({ to: ZOE, body, sent_at: at(second) })),
  })
const bodies = async () => (await typed()).map(({ body }: { body: string }) => body)
const deleteRecord = async (collection: string, id: string) =>
  expect((await user.call('DELETE', `${RECORDS}/${collection}/records/${id}`)).status).toBe(204)
const findTyped = async (body: string) =>
  (await typed()).find((message: { body: string }) => message.body === body)

test('a typed text that its owner deleted stays deleted when it is reported again', async () => {
  await type('Delete me', 30)
  await deleteRecord('sms_messages', (await findTyped('Delete me')).id)
  await type('Delete me', 30)
  expect(await bodies()).not.toContain('Delete me')
  expect(await conversation()).not.toMatchObject({ last_text: 'Delete me' })
})

test('the other texts of a report with a deleted one are stored', async () => {
  await type('Gone', 31)
  await deleteRecord('sms_messages', (await findTyped('Gone')).id)
  const report: [string, number][] = [
    ['Before', 32],
    ['Gone', 31],
    ['After', 33],
    ['After', 33],
  ]
  for (let i = 0; i < 2; i++) expect((await typeAll(report)).status).toBe(204)
  const stored = await bodies()
  expect(stored).not.toContain('Gone')
  expect(stored.filter((body: string) => ['Before', 'After'].includes(body)).sort()).toEqual([
    'After',
    'Before',
  ])
})

test('a typed text stays deleted with its conversation', async () => {
  await type('With the conversation', 34)
  const { id } = await findTyped('With the conversation')
  await deleteRecord('sms_messages', id)
  await deleteRecord('conversations', (await conversation()).id)
  await type('With the conversation', 34)
  await hear('Hello again', 35)
  await type('With the conversation', 34)
  expect(await bodies()).not.toContain('With the conversation')
})

test('texts that were deleted together stay deleted', async () => {
  await typeAll([
    ['First of two', 36],
    ['Second of two', 37],
  ])
  await server.query(`delete from sms_messages where body like '% of two'`)
  await typeAll([
    ['First of two', 36],
    ['Second of two', 37],
  ])
  expect(await bodies()).not.toContain('First of two')
  expect(await bodies()).not.toContain('Second of two')
})

test('a deleted typed text of an erased person is not stored again', async () => {
  await type('Erase me', 38)
  const { id } = await findTyped('Erase me')
  await server.query(
    `update sms_messages set body = '', "to" = '',
      client_ref = case when starts_with(client_ref, 'phone:') then client_ref else '' end where id = $1`,
    [id],
  )
  await deleteRecord('sms_messages', id)
  await type('Erase me', 38)
  expect(await bodies()).not.toContain('Erase me')
})

test.each(['phone:', 'retry:', 'auto:'])(
  'no request takes a reference that begins with %s',
  async (kind) => {
    const client_ref = `${kind}k3v9x0c2m5n8b1a`
    const sends: [string, object][] = [
      ['/api/sms/send', { recipients: [ZOE], body: 'Hi' }],
      ['/api/sms/send-template', { recipients: [ZOE], template_id: 'k3v9x0c2m5n8b1a' }],
      ['/api/sms/preview', { recipients: [ZOE], body: 'Hi' }],
    ]
    for (const [path, body] of sends) {
      const answer = await user.call('POST', path, { ...body, client_ref })
      expect(answer).toMatchObject({
        status: 400,
        body: { message: 'client_ref must not begin with retry:, auto: or phone:' },
      })
    }
    const form = new FormData()
    for (const [name, value] of Object.entries({ recipients: ZOE, body: 'Hi', client_ref }))
      form.append(name, value)
    const sent = await fetch(`${server.url}/api/sms/send`, {
      method: 'POST',
      headers: { authorization: user.token },
      body: form,
    })
    expect(sent.status).toBe(400)
  },
)

test('a reference that a message has already does not stop the other texts of a report', async () => {
  await type('Taken', 40)
  const { id, client_ref } = await findTyped('Taken')
  await server.query('delete from sms_messages where id = $1', [id])
  await server.query('delete from _texts_forgotten where id = $1', [id])
  const { body } = await user.call('POST', '/api/sms/send', { recipients: [ZOE], body: 'Other' })
  await server.query('update sms_messages set client_ref = $1 where id = $2', [
    client_ref,
    body.message_ids[0],
  ])
  const report: [string, number][] = [
    ['Free before', 39],
    ['Taken', 40],
    ['Free behind', 41],
  ]
  for (let i = 0; i < 2; i++) expect((await typeAll(report)).status).toBe(204)
  const stored = await bodies()
  expect(stored).toEqual(expect.arrayContaining(['Free before', 'Free behind']))
  expect(stored).not.toContain('Taken')
})
