import { createServer, type ServerResponse } from 'node:http'
import { countSegments } from '../../../src/portable/segments.ts'
import payloads from '../../payloads/hooks/grafana/grafana.json' with { type: 'json' }
import { servePicture } from '../../support/pictures.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { listenLocally } from '../../support/services/listen.ts'
import { until } from '../../support/until.ts'
import { openMmsServer, SMALL } from '../messages/send/mms-fixture.ts'

// The picture of an alarm goes with its text, and the text goes without the picture if need be.

const server = await startServerWithDevices({
  PUBLIC_URL: 'https://sms.example.com',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})
const { makeShop, claim, fetchLink, findMessage, countFiles } = openMmsServer(server)
const pictures = await servePicture(SMALL)
const TO = '+4915112345678'
const LINK = /https:\/\/sms\.example\.com\/f\/[a-z0-9]{16}[\w-]{11}/

type Shop = Awaited<ReturnType<typeof makeShop>>

/** A shop with a hook for Grafana's pictures. */
async function makeHook(more: object = {}) {
  const shop = await makeShop()
  const hook = await must(shop.user, 'POST', '/api/collections/hooks/records', {
    user: shop.user.id,
    name: 'Alarm',
    preset: 'grafana',
    recipients: [TO],
    pictures_from: 'alerts.imageURL',
    ...more,
  })
  return { ...shop, hook }
}
const setLine = ({ user, line }: Shop, values: object) =>
  must(user, 'PATCH', `/api/collections/lines/records/${line}`, values)

/** Grafana's body with this address of the first alert's picture. */
function makeAlarm(imageURL: string) {
  const alarm = payloads.find(({ title }) => title.includes('screenshot'))!
  return JSON.parse(
    JSON.stringify(alarm.sent.json).replace(/https:\/\/pictures\.example\.com[^"]*/, imageURL),
  )
}
const TEXT = 'firing: Cellar: Water at 12 cm\nfiring: Pump: Stands still'

const post = async (secret: string, body: object) =>
  (await server.guest.call('POST', `/api/hooks/${secret}`, body)).body
const readCall = async ({ user, hook }: Awaited<ReturnType<typeof makeHook>>) =>
  (
    await must(
      user,
      'GET',
      `/api/collections/hook_calls/records?filter=hook="${hook.id}"&sort=-@rowid`,
    )
  ).items[0]

test('the picture of an alarm leaves with its text as an MMS', async () => {
  const shop = await makeHook()
  expect(await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))).toMatchObject({
    outcome: 'sent',
  })
  const [item] = await claim(shop.phone)
  expect(item).toMatchObject({
    body: TEXT,
    attachments: [{ name: expect.stringMatching(/^cellar_/) }],
  })
  expect(await fetchLink(item.attachments[0].url)).toEqual(SMALL)
  expect(await readCall(shop)).toMatchObject({
    outcome: 'sent',
    error: '',
    texts: [{ text: TEXT }],
  })
})

test('the picture of an alarm is fetched where its address redirects', async () => {
  const host = createServer((_, res) =>
    res.writeHead(307, { location: `${pictures.url}/cellar.png` }).end(),
  )
  const { url } = await listenLocally(host)
  const shop = await makeHook()
  await post(shop.hook.secret, makeAlarm(`${url}/render/1`))
  const [item] = await claim(shop.phone)
  expect(item).toMatchObject({ body: TEXT, attachments: [{}] })
  expect(await fetchLink(item.attachments[0].url)).toEqual(SMALL)
  expect((await readCall(shop)).error).toBe('')
})

test('a line without MMS sends a link to the picture', async () => {
  const shop = await makeHook()
  await setLine(shop, { mms: 'off' })
  await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))
  const [item] = await claim(shop.phone)
  expect(item.body.replace(LINK, 'LINK')).toBe(`${TEXT} LINK`)
  expect(await fetchLink(item.body.match(LINK)[0])).toEqual(SMALL)
  expect((await readCall(shop)).error).toBe('')
})

test('without a phone for MMS now, the text does not wait for one', async () => {
  const shop = await makeHook()
  const other = await server.pair(shop.user)
  await server.query(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [
    shop.phone.id,
  ])
  expect(await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))).toMatchObject({
    outcome: 'sent',
  })
  const [item] = (await must(other, 'POST', '/api/devices/claim', {})).items
  expect(item.body.replace(LINK, 'LINK')).toBe(`${TEXT} LINK`)
})

test('without any phone the text waits with a link', async () => {
  const shop = await makeHook()
  await server.query(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [
    shop.phone.id,
  ])
  const answer = await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))
  expect(answer.outcome).toBe('waiting')
  expect((await findMessage(shop.user, answer.messages[0])).body).toMatch(LINK)
})

const page = await servePicture(Buffer.from('<html><body>Sign in</body></html>'))
const large = await servePicture(Buffer.alloc((20 << 20) + 1))

test.each<[string, string, RegExp]>([
  ['that is missing', `${pictures.url}/missing.jpg`, /could not be fetched: it answered 404/],
  [
    'behind a closed port',
    'http://127.0.0.1:1/a.png',
    /could not be fetched: it could not be reached/,
  ],
  [
    'that is a page',
    `${page.url}/login`,
    /login could not be fetched: it is a page or XML, no file/,
  ],
  ['that is too large', `${large.url}/a.png`, /could not be fetched: it has more than/],
  ['without an address', 'k3v9x0c2m5n8b1a/secret.jpg', /no http or https address/],
])('an alarm with a picture %s leaves as a text', async (_, address, fault) => {
  const shop = await makeHook()
  expect(await post(shop.hook.secret, makeAlarm(address))).toMatchObject({ outcome: 'sent' })
  const [item] = await claim(shop.phone)
  expect(item.body).toBe(TEXT)
  expect(item).not.toHaveProperty('attachments')
  expect(await readCall(shop)).toMatchObject({
    outcome: 'sent',
    error: expect.stringMatching(fault),
  })
})

test('no file of the account leaves because a body names it', async () => {
  const shop = await makeHook()
  const first = await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))
  const [id] = first.messages
  const [name] = (await findMessage(shop.user, id)).attachments
  const alarm = makeAlarm(`${id}/${name}`)
  alarm.alerts[0].startsAt = '2026-11-25T10:00:00Z'
  const second = await post(shop.hook.secret, alarm)
  expect((await findMessage(shop.user, second.messages[0])).attachments).toEqual([])
})

test('a private address is not fetched, and the text leaves', async () => {
  const strict = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'false' })
  const user = await strict.makeUser()
  const phone = await strict.pair(user)
  const { secret } = await must(user, 'POST', '/api/collections/hooks/records', {
    user: user.id,
    name: 'Alarm',
    preset: 'grafana',
    recipients: [TO],
    pictures_from: 'alerts.imageURL',
  })
  const before = pictures.asked.length
  const alarm = makeAlarm(`${pictures.url}/cellar.png`)
  await must(strict.guest, 'POST', `/api/hooks/${secret}`, alarm)
  const [item] = (await must(phone, 'POST', '/api/devices/claim', { mms: true })).items
  expect(item.body).toBe(TEXT)
  expect(pictures.asked).toHaveLength(before)
  const calls = await strict.query('select error from hook_calls')
  expect(calls[0]![0]).toMatch(/could not be fetched/)
  await strict.stop()
})

test('an account whose files are full sends the text', async () => {
  const full = await startServerWithDevices({
    MAX_ACCOUNT_FILE_BYTES: '5000',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  const { makeShop: makeFullShop, claim: claimThere } = openMmsServer(full)
  const { user, phone } = await makeFullShop()
  const { secret } = await must(user, 'POST', '/api/collections/hooks/records', {
    user: user.id,
    name: 'Alarm',
    preset: 'grafana',
    recipients: [TO, '+4915112345679', '+4915112345670'],
    pictures_from: 'alerts.imageURL',
  })
  await must(full.guest, 'POST', `/api/hooks/${secret}`, makeAlarm(`${pictures.url}/cellar.png`))
  const bodies = (await claimThere(phone)).map(({ body }: { body: string }) => body)
  expect(bodies).toEqual([TEXT, TEXT, TEXT])
  expect(
    await full.query('select count(*)::int from _files where collection = $1', ['sms_messages']),
  ).toEqual([[0]])
  await full.stop()
})

/** A shop without MMS whose hook sends `text` with the pictures at `image`. */
async function makeLinkHook(more: object) {
  const shop = await makeHook({
    preset: 'custom',
    template: '{{text}}',
    pictures_from: 'image',
    ...more,
  })
  await setLine(shop, { mms: 'off' })
  return shop
}
const listImages = (count: number) =>
  Array.from({ length: count }, (_, i) => `${pictures.url}/${i}.jpg`)

test.each<[string, string, number, number, number]>([
  ['one link', 'Motion', 1, 1, 1],
  ['as many links as fit', 'Motion', 1, 3, 2],
  ['no link that does not fit', 'x'.repeat(150), 1, 1, 0],
  ['all links in more segments', 'x'.repeat(150), 3, 3, 3],
  ['no link to a text that was cut', 'x'.repeat(900), 3, 3, 0],
  ['the links that fit into UCS-2', 'Bewegung 🇩🇪', 2, 3, 2],
  ['no link to 60 flags', '🇩🇪'.repeat(60), 4, 1, 0],
])('a text keeps %s within the bound of its hook', async (_, text, max_parts, count, kept) => {
  const shop = await makeLinkHook({ max_parts })
  await post(shop.hook.secret, { text, image: listImages(count) })
  const [item] = await claim(shop.phone)
  expect(item.body.match(new RegExp(LINK, 'g')) ?? []).toHaveLength(kept)
  expect(countSegments(item.body).segments).toBeLessThanOrEqual(max_parts)
  const message = await findMessage(shop.user, item.id)
  expect(message).toMatchObject({ segments: countSegments(item.body).segments })
  expect(message.attachments).toHaveLength(kept)
  const { error } = await readCall(shop)
  if (kept < count) expect(error).toMatch(/no room for the links|longer than \d segments/)
  else expect(error).toBe('')
  expect(await countFiles(shop.user)).toBe(kept)
})

test('a text that waits for a phone keeps the bound, too', async () => {
  const shop = await makeLinkHook({ max_parts: 1 })
  await server.query(`update devices set last_seen = '2020-01-01 00:00:00.000Z' where id = $1`, [
    shop.phone.id,
  ])
  const { outcome, messages } = await post(shop.hook.secret, {
    text: 'x'.repeat(90),
    image: listImages(3),
  })
  expect(outcome).toBe('waiting')
  expect(await findMessage(shop.user, messages[0])).toMatchObject({ segments: 1 })
})

test('the rate of a hook counts the segments of links', async () => {
  const shop = await makeLinkHook({ rate: 4, max_parts: 3 })
  const outcomes: string[] = []
  for (const text of ['a', 'b', 'c', 'd'])
    outcomes.push(
      (await post(shop.hook.secret, { text: text.repeat(100), image: listImages(2) })).outcome,
    )
  expect(outcomes).toEqual(['sent', 'sent', 'limited', 'limited'])
  const sent = await server.query('select sent from hook_windows where hook = $1', [shop.hook.id])
  expect(sent).toEqual([[4]])
})

test('the rate of a hook counts the words of an MMS', async () => {
  const shop = await makeHook({ rate: 2 })
  await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))
  const sent = await server.query('select sent from hook_windows where hook = $1', [shop.hook.id])
  expect(sent).toEqual([[1]])
})

test.each<[string, number]>([
  ['Wärmepumpe im Keller des Hauses an der langen Straße nach Süden 🇩🇪🇩🇪🇩🇪', 1],
  ['Cellar', 1],
])('the summary of the hook %s keeps the bound of its hook', async (name, max_parts) => {
  const shop = await makeLinkHook({ name, max_parts, rate: 1 })
  for (const text of ['one', 'two', 'three']) await post(shop.hook.secret, { text })
  const rows = await server.query(
    `select body, segments from sms_messages where "user" = $1 and body like '%more'`,
    [shop.user.id],
  )
  expect(rows).toEqual([[expect.stringMatching(/: and 2 more$/), 1]])
  expect(countSegments(String(rows[0]![0])).segments).toBe(1)
})

test('a text that links make too long leaves without them', async () => {
  const shop = await makeHook({
    preset: 'custom',
    template: '{{text}}',
    max_parts: 10,
    pictures_from: 'image',
  })
  await setLine(shop, { mms: 'off' })
  const text = 'x'.repeat(1_530)
  await post(shop.hook.secret, {
    text,
    image: ['a', 'b', 'c'].map((name) => `${pictures.url}/${name}.jpg`),
  })
  expect((await claim(shop.phone))[0].body).toBe(text)
  expect(await readCall(shop)).toMatchObject({
    outcome: 'sent',
    error: expect.stringMatching(/longer than 10 segments|1600|1,600/),
  })
})

test('in quiet hours the picture waits with its text', async () => {
  const shop = await makeHook({ quiet_from: '00:00', quiet_to: '23:59' })
  const { messages } = await post(shop.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))
  const message = await findMessage(shop.user, messages[0])
  expect(message).toMatchObject({ body: TEXT, segments: 0, attachments: [expect.any(String)] })
  expect(message.scheduled_at > message.created).toBe(true)
})

test('a slow picture delays no other call of its hook', async () => {
  const shop = await makeHook()
  const answers: ServerResponse[] = []
  const slow = await listenLocally(createServer((_, res) => answers.push(res)))
  const first = post(shop.hook.secret, makeAlarm(`${slow.url}/cellar.png`))
  await until('the request of the picture', () => answers.length > 0)
  const other = { status: 'firing', alerts: [{ status: 'firing', labels: { alertname: 'Pump' } }] }
  expect(await post(shop.hook.secret, other)).toMatchObject({ outcome: 'sent' })
  answers[0]!.end(SMALL)
  expect(await first).toMatchObject({ outcome: 'sent' })
  const bodies = (await claim(shop.phone)).map(({ body }: { body: string }) => body)
  expect(bodies).toEqual([expect.stringContaining('Pump'), TEXT])
  await slow.stop()
})

test('a preview lists the pictures that a body names, without fetching them', async () => {
  const { user, hook } = await makeHook()
  const before = pictures.asked.length
  const address = `${pictures.url}/cellar.png`
  const body = JSON.stringify(makeAlarm(address))
  expect(await must(user, 'POST', '/api/hooks/preview', { hook, body })).toMatchObject({
    outcome: 'sent',
    pictures: [address],
  })
  expect(pictures.asked).toHaveLength(before)
})

test('pictures of events that send no text are not fetched', async () => {
  const shop = await makeHook({ rate: 1 })
  const before = pictures.asked.length
  const alarm = makeAlarm(`${pictures.url}/cellar.png`)
  const later = JSON.parse(JSON.stringify(alarm).replaceAll('2026-11-24', '2026-11-25'))
  const outcomes: string[] = []
  for (const body of [alarm, alarm, later])
    outcomes.push((await post(shop.hook.secret, body)).outcome)
  expect(outcomes).toEqual(['sent', 'repeated', 'limited'])
  expect(pictures.asked).toHaveLength(before + 1)
})

test('an event that is repeated with another picture is the same event, unless its key has the picture', async () => {
  const alarms = ['cellar.png', 'other.png'].map((name) => makeAlarm(`${pictures.url}/${name}`))
  const postTwice = async (more: object) => {
    const shop = await makeHook(more)
    const outcomes: string[] = []
    for (const alarm of [...alarms, ...alarms])
      outcomes.push((await post(shop.hook.secret, alarm)).outcome)
    return [outcomes, (await claim(shop.phone)).length]
  }
  expect(await postTwice({})).toEqual([['sent', 'repeated', 'repeated', 'repeated'], 1])
  const withPicture = { once_key: '{{alerts.0.fingerprint}} {{alerts.0.imageURL}}' }
  expect(await postTwice(withPicture)).toEqual([['sent', 'sent', 'repeated', 'repeated'], 2])
  expect(await postTwice({ once_minutes: 0 })).toEqual([['sent', 'sent', 'sent', 'sent'], 4])
})

test.each<[string, string, object, number]>([
  ['one address', 'camera.image', { camera: { image: '/a.jpg' } }, 1],
  [
    'a list, three at most',
    'images',
    { images: ['/a.jpg', '/b.jpg', '/b.jpg', '/c.jpg', '/d.jpg'] },
    3,
  ],
  ['an item of a list', 'images.1.url', { images: [{ url: '/a.jpg' }, { url: '/b.jpg' }] }, 1],
  ['texts of JSON', 'Message.image', { Message: '{"image":"/a.jpg"}' }, 1],
  ['no text', 'image', { image: { x: 1 } }, 0],
])('a path leads to %s', async (_, path, body, count) => {
  const shop = await makeHook({ preset: 'custom', template: 'Motion', pictures_from: path })
  const absolute = JSON.stringify(body)
    .replace(/"\/(\w\.jpg)/g, `"${pictures.url}/$1`)
    .replace(/\\"\/(\w\.jpg)/g, `\\"${pictures.url}/$1`)
  await post(shop.hook.secret, JSON.parse(absolute))
  const [item] = await claim(shop.phone)
  expect(item.attachments ?? []).toHaveLength(count)
})

test('without a path, and for codes, no picture is fetched', async () => {
  const before = pictures.asked.length
  const plain = await makeHook({ pictures_from: '' })
  await post(plain.hook.secret, makeAlarm(`${pictures.url}/cellar.png`))
  const codes = await makeHook({ preset: 'text', kind: 'codes', pictures_from: 'image' })
  await post(codes.hook.secret, { text: 'Your code is 471103', image: `${pictures.url}/a.png` })
  expect(pictures.asked).toHaveLength(before)
  expect(await countFiles(plain.user)).toBe(0)
  expect((await claim(codes.phone))[0]).not.toHaveProperty('attachments')
})
