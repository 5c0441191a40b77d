import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// Machines write to phones, too: what no person wrote gets no automatic answer.

const gateway = await startServerWithDevices()
const user = await gateway.makeUser()
const phone = await gateway.pair(user)
await must(user, 'POST', '/api/collections/auto_answers/records', {
  user: user.id,
  enabled: true,
  match: 'any',
  body: 'We call you back',
})

const DATA = 'data:application/octet-stream;base64,'
const answersTo = async (number: string) => {
  const filter = encodeURIComponent(`to = "${number}"`)
  return (await must(user, 'GET', `/api/collections/sms_messages/records?filter=${filter}`)).items
}

test.each([
  ['a WAP push', `${DATA}JQYKA66B6o0CBWoARcYMA3d3dy4=`],
  ['the notice of an MMS', `${DATA}jIKYVDEAjZCJGIA=`],
  ['a binary SMS without bytes', DATA],
  ['a silent SMS', ''],
  ['a text of blanks', ' \n '],
  ['a text of characters that nobody sees', '\u200b\u2060\u00ad'],
])('%s gets no automatic answer, and a text that follows gets one', async (_, body) => {
  const number = `+49151${String(Math.random()).slice(2, 10)}`
  await gateway.hear(phone, [[number, body]])
  const queued = `select count(*) from _jobs j join sms_messages m on m.id = j.key where j.kind = 'answer' and m."from" = $1`
  expect(Number((await gateway.query(queued, [number]))[0]![0])).toBe(0)
  expect(await answersTo(number)).toEqual([])
  await gateway.hear(phone, [[number, 'Are you there?']])
  await until('the answer is sent', async () => (await answersTo(number)).length === 1)
})
