import { makePhoto } from '../../support/pictures.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import { openMmsServer, SMALL } from '../messages/send/mms-fixture.ts'

// Campaigns with pictures: each message has them, and they are stored once.

const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.com' })
const { makeShop, claim, fetchLink } = openMmsServer(server)
const OTHER = await makePhoto('iphoneSmall')

const TO = ['+4915112345671', '+4915112345672', '+4915112345673']
const LATER = new Date(Date.now() + 3_600_000).toISOString()

async function send(
  method: 'POST' | 'PATCH',
  path: string,
  { token }: Client,
  fields: Readonly<Record<string, string | readonly string[]>>,
  files: readonly Buffer[] = [SMALL],
  key: string = crypto.randomUUID(),
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) form.append(name, one as string)
  for (const file of files)
    form.append('attachments', new Blob([new Uint8Array(file)]), 'Anna Berg.jpg')
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: token, 'idempotency-key': key },
    body: form,
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  return { status: answer.status, body: (await answer.json()) as any }
}
const create = (
  user: Client,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
  files?: readonly Buffer[],
  key?: string,
) =>
  send(
    'POST',
    '/api/campaigns',
    user,
    { recipients: TO, body: 'Sale', hold_seconds: '0', ...fields },
    files,
    key,
  )

const findCampaign = (user: Client, id: string) =>
  must(user, 'GET', `/api/collections/campaigns/records/${id}`)
const countContents = async ({ id }: Client) =>
  Number(
    (await server.query('select count(*) from _file_contents where account = $1', [id]))[0]![0],
  )
const textsOf = async (user: Client) =>
  (await must(user, 'GET', '/api/collections/sms_messages/records?sort=to')).items
const untilStored = (user: Client, count: number) =>
  until(`${count} texts`, async () => {
    const texts = await textsOf(user)
    return texts.length === count && texts
  })
/** The messages that the phone gets and reports as sent, until there are `count`. */
async function claimAll(phone: Client, count: number, status = 'sent') {
  // biome-ignore lint/suspicious/noExplicitAny: items of an answer
  const got: any[] = []
  await until(`${count} messages`, async () => {
    for (const item of await claim(phone)) {
      const { id, attempt } = item
      await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status }] })
      got.push(item)
    }
    return got.length >= count
  })
  return got
}

test('a campaign with a picture stores it once, and each person gets it', async () => {
  const { user, phone } = await makeShop()
  const { status, body } = await create(user, { subject: 'Shop' })
  expect([status, body]).toMatchObject([200, { recipients_count: 3, segments: 0 }])
  const got = await claimAll(phone, 3)
  for (const { subject, attachments, body: words } of got) {
    expect([subject, words]).toEqual(['Shop', 'Sale'])
    expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  }
  expect(await countContents(user)).toBe(1)
  const campaign = await findCampaign(user, body.id)
  expect(campaign).toMatchObject({
    subject: 'Shop',
    attachments: [expect.stringMatching(/^anna_berg_/)],
  })
  expect((await must(user, 'GET', '/api/sms/usage')).files.bytes).toBe(SMALL.length)
})

test('a campaign of a picture alone has no words, and a template’s words are each person’s', async () => {
  const { user, phone } = await makeShop()
  await create(user, { body: '', recipients: [TO[0]!] })
  const [alone] = await claimAll(phone, 1)
  expect(alone).toMatchObject({ body: '', attachments: [{ type: 'image/jpeg' }] })
  await create(user, { body: 'Hello {{phone}}', variables: '{}' })
  const texts = (await claimAll(phone, 3)).map((text) => text.body)
  expect(texts.toSorted()).toEqual(TO.map((to) => `Hello ${to}`))
  expect(await countContents(user)).toBe(1)
})

test('a request that is repeated creates one campaign, and one with another picture is refused', async () => {
  const { user } = await makeShop()
  const key = crypto.randomUUID()
  const first = await create(user, { scheduled_at: LATER }, [SMALL], key)
  expect((await create(user, { scheduled_at: LATER }, [SMALL], key)).body.id).toBe(first.body.id)
  expect(await create(user, { scheduled_at: LATER }, [OTHER], key)).toMatchObject({ status: 422 })
  expect(await countContents(user)).toBe(1)
})

test('a change replaces the picture of the waiting messages, or removes it', async () => {
  const { user } = await makeShop()
  const { id } = (await create(user, { scheduled_at: LATER })).body
  await untilStored(user, 3)
  const path = `/api/campaigns/${id}`
  const changed = await send('PATCH', path, user, {}, [OTHER])
  expect([changed.status, changed.body]).toMatchObject([200, { segments: 0 }])
  const texts = await untilStored(user, 3)
  const { attachments } = await findCampaign(user, id)
  for (const text of texts) expect(text.attachments).toEqual(attachments)
  expect(await countContents(user)).toBe(1)

  expect(await must(user, 'PATCH', path, { attachments: [] })).toMatchObject({ segments: 3 })
  expect(
    (await untilStored(user, 3)).map((text: { attachments: string[] }) => text.attachments),
  ).toEqual([[], [], []])
  expect(await countContents(user)).toBe(0)
})

test('a canceled campaign gives the room of its picture back', async () => {
  const { user } = await makeShop()
  const { id } = (await create(user, { scheduled_at: LATER })).body
  await untilStored(user, 3)
  await must(user, 'POST', `/api/campaigns/${id}/cancel`, {})
  await until('the room', async () => (await countContents(user)) === 0)
  expect(await findCampaign(user, id)).toMatchObject({ status: 'canceled', attachments: [] })
})

test('a picture stays with the messages of a deleted campaign, and ends with the last of them', async () => {
  const { user, phone } = await makeShop()
  const { id } = (await create(user)).body
  const got = await claimAll(phone, 3)
  await server.query(`update campaigns set status = 'done' where id = $1`, [id])
  await must(user, 'DELETE', `/api/collections/campaigns/records/${id}`)
  for (const message of got) {
    expect(await countContents(user)).toBe(1)
    await must(user, 'DELETE', `/api/collections/sms_messages/records/${message.id}`)
  }
  expect(await countContents(user)).toBe(0)
})

test('each run of a repeating campaign has its picture', async () => {
  const { user, phone } = await makeShop()
  const repeat = JSON.stringify({ cron: '*/5 * * * *', time_zone: 'UTC', missed: 'once' })
  const { id } = (await create(user, { repeat })).body
  for (let run = 1; run <= 2; run++) {
    await server.query(
      `update campaigns set scheduled_at = pb_text(now() - interval '1 second') where id = $1`,
      [id],
    )
    await until(`run ${run}`, async () => {
      await server.query('update _jobs set due_at = now() where key = $1', [id])
      return (await findCampaign(user, id)).runs >= run
    })
    for (const { attachments } of await claimAll(phone, 3))
      expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  }
  expect(await countContents(user)).toBe(1)
})

test('without a line for MMS a campaign is refused, or leaves as texts with links', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  expect(await create(user)).toMatchObject({ status: 400, body: { error: 'mms_not_supported' } })
  const { status, body } = await create(user, { mms: 'or_link' })
  expect([status, body.segments]).toEqual([200, 3])
  for (const text of await claimAll(phone, 3)) {
    const [, link] = /^Sale (https:\/\/sms\.example\.com\/f\/\S+)$/.exec(text.body)!
    expect(await fetchLink(link!)).toEqual(SMALL)
  }
  expect(await countContents(user)).toBe(1)
})

test('failed messages of a campaign are sent again with its picture', async () => {
  const { user, phone } = await makeShop()
  const { id } = (await create(user)).body
  await claimAll(phone, 3, 'failed')
  const again = await must(user, 'POST', `/api/campaigns/${id}/retry`, {})
  expect(again).toMatchObject({ retried: 3 })
  for (const { attachments } of await claimAll(phone, 3))
    expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  expect(await countContents(user)).toBe(1)
})

test('a person who is erased is in no name of a picture any more, and others keep theirs', async () => {
  const { user } = await makeShop()
  await must(user, 'POST', '/api/collections/contacts/records', {
    user: user.id,
    name: 'Anna Berg',
    phone: TO[0],
  })
  const { id } = (await create(user, { scheduled_at: LATER })).body
  await untilStored(user, 3)
  await must(user, 'POST', '/api/person/erase', { number: TO[0], reason: 'asked' })
  const names = async () =>
    (await server.query(
      'select name from _files f join _file_contents c on c.id = f.content where c.account = $1',
      [user.id],
    )) as [string][]
  await until('an erasure of the names', async () =>
    (await names()).every(([name]) => !name.includes('anna')),
  )
  expect(await names()).toHaveLength(3)
  const { attachments } = await findCampaign(user, id)
  expect(attachments).toEqual([expect.stringMatching(/^file_\w{10}\.jpg$/)])
  const { token } = await must(user, 'POST', '/api/files/token')
  const url = `${server.url}/api/files/campaigns/${id}/${attachments[0]}?token=${token}`
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(SMALL)
})
