import { request } from '../support/server/request.ts'
import { ANN, as, TEMPLATES } from '../support/server/server-with-users.ts'
import { startSmsgateApiFixture } from '../support/smsgate/smsgate-api-fixture.ts'

// Low-code tools and JSON writers without types send a code as a number: {"body": 471103}. Bodies are written
// here as these programs write them, with the digits of their numbers.

const { server, ann, makeKey } = await startSmsgateApiFixture()
const key = await makeKey()
const TO = '+4915112345678'

beforeEach(() => server.rows('delete from sms_messages'))
const sent = async () =>
  (await server.rows('select "to", body, client_ref from sms_messages order by _rowid')).map(
    (row) => row.filter((value) => value !== '').join(' '),
  )

/** Each way to send JSON: its path, its body with `TEXT` and `NUMBER` in their places, and its headers. */
const MCP = { accept: 'application/json, text/event-stream', 'x-api-key': key }
const WAYS: readonly (readonly [at: string, body: string, headers: Record<string, string>])[] = [
  ['/api/sms/send', `{"recipients":["${TO}"],"body":TEXT}`, as(ANN)],
  ['/api/v1/sms/send', '{"to":NUMBER,"body":TEXT}', as(ANN)],
  ['/api/v1/sms/send', '{"to":NUMBER,"content":TEXT}', as(ANN)],
  ['/api/v2/messages/sms', '{"to":[NUMBER],"text":TEXT}', { 'access-token': ANN.key }],
  [
    '/jsonrpc/sms',
    `{"method":"sms.send_sms","params":{"access_token":"${ANN.key}","to":NUMBER,"message":TEXT}}`,
    {},
  ],
  ['/vendel/api/sms/send', '{"recipients":["+NUMBER"],"body":TEXT}', as(ANN)],
  ['/api/3rdparty/v1/messages', '{"phoneNumbers":["+NUMBER"],"textMessage":{"text":TEXT}}', ann],
  ['/api/3rdparty/v1/messages', '{"phoneNumbers":["+NUMBER"],"message":TEXT}', ann],
  [
    '/mcp',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_message","arguments":{"recipients":["+NUMBER"],"body":TEXT}}}`,
    MCP,
  ],
]
const post = (at: string, body: string, headers: Record<string, string>) =>
  request(server.url, 'POST', at, body, { 'content-type': 'application/json', ...headers })

const cases = WAYS.flatMap(([at, body, headers]) =>
  (
    [
      ['471103', '471103'],
      ['0', '0'],
      ['-12', '-12'],
      ['19.5', '19.5'],
      ['4.5E2', '450'],
      ['1e-7', '0.0000001'],
      ['9007199254740991', '9007199254740991'],
    ] as const
  ).map(([given, text]) => [at, body, given, text, headers] as const),
)
test.each(cases)('POST %s with %s sends the number %s as the text %s', async (...row) => {
  const [at, body, given, text, headers] = row
  const json = body.replace('TEXT', given).replace('NUMBER', TO.slice(1))
  const { status, text: answer } = await post(at, json, headers)
  expect(answer).not.toMatch(/error"/)
  expect(status).toBeLessThan(300)
  expect(await sent()).toEqual([`${TO} ${text}`])
})

const lost = WAYS.flatMap(([at, body, headers]) =>
  ['9007199254740993', '12345678901234567890', '1e400'].map(
    (given) => [at, body, given, headers] as const,
  ),
)
test.each(lost)('POST %s with %s refuses the number %s, whose digits were lost', async (...row) => {
  const [at, body, given, headers] = row
  const json = body.replace('TEXT', given).replace('NUMBER', TO.slice(1))
  const { status, text } = await post(at, json, headers)
  expect(text).toMatch(/more digits than a JSON number keeps|must be a text/)
  if (at !== '/mcp') expect(status).toBe(400)
  expect(await sent()).toEqual([])
})

test.each<[string, string, string, Record<string, string>, string]>([
  [
    'variables',
    '/api/sms/send',
    `{"recipients":["${TO}"],"body":"{{a}} {{b}} {{c}}","variables":{"a":4711,"b":1e15,"c":0.5}}`,
    as(ANN),
    `${TO} 4711 1000000000000000 0.5`,
  ],
  [
    'variables of a template',
    '/api/sms/send-template',
    `{"recipients":["${TO}"],"template_id":"${TEMPLATES.code}","variables":{"code":471103,"tail":7}}`,
    as(ANN),
    `${TO}  (${TO}): 471103 4711037`,
  ],
  [
    'a reference',
    '/api/sms/send',
    `{"recipients":["${TO}"],"body":"Hi","client_ref":1043}`,
    as(ANN),
    `${TO} Hi 1043`,
  ],
  [
    'the words of an MMS',
    '/api/3rdparty/v1/messages',
    `{"phoneNumbers":["${TO}"],"mmsMessage":{"text":4711}}`,
    ann,
    `${TO} 4711`,
  ],
])('%s may be a number', async (_, at, body, headers, text) => {
  const { text: answer, status } = await post(at, body, headers)
  expect(answer).not.toMatch(/error"/)
  expect(status).toBeLessThan(300)
  expect(await sent()).toEqual([text])
})

test('a repeated reference is the same as a number and as a text', async () => {
  const body = (ref: string) => `{"recipients":["${TO}"],"body":471103,"client_ref":${ref}}`
  const first = await post('/api/sms/send', body('1043'), as(ANN))
  const second = await post('/api/sms/send', body('"1043"'), as(ANN))
  expect(second.body.message_ids).toEqual(first.body.message_ids)
})

test.each([
  ['variables', `{"recipients":["${TO}"],"body":"{{a}}","variables":{"a":12345678901234567890}}`],
  ['a reference', `{"recipients":["${TO}"],"body":"Hi","client_ref":12345678901234567890}`],
  ['a recipient', `{"recipients":[49151123456780000000],"body":"Hi"}`],
])('%s with lost digits are refused', async (_, body) => {
  const { status, text } = await post('/api/sms/send', body, as(ANN))
  expect([status, text]).toEqual([400, expect.stringContaining('more digits')])
})

test.each(['true', 'null', '[471103]', '{"a":1}'])('the text %s is refused', async (given) => {
  for (const [at, body, headers] of WAYS.slice(0, 4)) {
    const json = body.replace('TEXT', given).replace('NUMBER', TO.slice(1))
    expect(await post(at, json, headers)).toMatchObject({ status: 400 })
  }
  expect(await sent()).toEqual([])
})
