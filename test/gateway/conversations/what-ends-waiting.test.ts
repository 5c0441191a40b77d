import { request } from '../../support/server/request.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann)
const record = (collection: string, values: object) =>
  must(ann, 'POST', `/api/collections/${collection}/records`, { user: ann.id, ...values })
const list = async (collection: string, filter: string) =>
  (
    await must(
      ann,
      'GET',
      `/api/collections/${collection}/records?${new URLSearchParams({ filter })}`,
    )
  ).items
const { key } = await record('api_keys', { name: 'Shop' })

let numbers = 68_000_000
/** A person who waits for an answer, and the id of their text. */
async function ask(body = 'Are you open?') {
  const number = `+4915${numbers++}`
  await server.hear(phone, [[number, body]])
  const [{ id }] = await list('sms_messages', `from = "${number}"`)
  return { number, text: id as string }
}
const conversation = async (number: string) =>
  (await list('conversations', `number = "${number}"`))[0]

/** Sends a text to a number by the API key. */
async function sendByKey(number: string, more: object = {}) {
  const body = { recipients: [number], body: 'Invoice 7: 12 EUR', ...more }
  const answer = await request(server.url, 'POST', '/api/sms/send', body, { 'x-api-key': key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

test("a program's text becomes the last one, and leaves the person waiting", async () => {
  const { number } = await ask()
  await sendByKey(number)
  expect(await conversation(number)).toMatchObject({
    unanswered: true,
    last_text: 'Invoice 7: 12 EUR',
    last_type: 'outgoing',
  })
})

test('a text by a person ends the waiting', async () => {
  const { number } = await ask()
  await must(ann, 'POST', '/api/sms/send', { recipients: [number], body: 'Until 8' })
  expect(await conversation(number)).toMatchObject({ unanswered: false, last_text: 'Until 8' })
})

test.each([
  ['answers: true', () => true],
  ['the id of the received text', (text: string) => text],
])("a program's text with %s ends the waiting", async (_, answersOf) => {
  const { number, text } = await ask()
  await sendByKey(number, { answers: answersOf(text) })
  expect(await conversation(number)).toMatchObject({ unanswered: false })
})

test('the id of a text of another person does not end the waiting', async () => {
  const [one, other] = [await ask(), await ask()]
  await sendByKey(one.number, { answers: other.text })
  expect(await conversation(one.number)).toMatchObject({ unanswered: true })
  await sendByKey(one.number, { answers: false })
  expect(await conversation(one.number)).toMatchObject({ unanswered: true })
})

test.each([
  ['words', 'price', false],
  ['any', '', true],
])('an automatic answer to %s "%s" leaves unanswered as %s', async (match, value, unanswered) => {
  const pause = { enabled: true, pause_hours: 0 }
  const answer = await record('auto_answers', { match, value, body: '10 EUR', ...pause })
  const { number } = await ask('Price')
  const sent = () => list('sms_messages', `to = "${number}"`)
  await until('the answer', async () => (await sent()).length > 0)
  expect(await conversation(number)).toMatchObject({ unanswered, last_text: 'Price' })
  await must(ann, 'DELETE', `/api/collections/auto_answers/records/${answer.id}`)
})

test.each([
  ['Hello {{name}}, 10 EUR', 0],
  ['Hello {{name|there}}, 10 EUR', 1],
])('an automatic answer "%s" to a number without a contact sends %s texts', async (body, sent) => {
  const values = { match: 'words', value: `w${sent}`, enabled: true, pause_hours: 0 }
  await record('auto_answers', { ...values, body })
  const { number } = await ask(`w${sent}`)
  const jobs = () => server.query(`select 1 from _jobs where kind = 'answer'`)
  await until('the end of the job', async () => (await jobs()).length === 0)
  expect(await list('sms_messages', `to = "${number}"`)).toHaveLength(sent)
})
