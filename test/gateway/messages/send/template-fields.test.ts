import { ANN, startServerWithUsers } from '../../../support/server/server-with-users.ts'

const KIEL = '+4915120000010'
const NOBODY = '+4915120000011'
const MANY = '+4915120000012'

const server = await startServerWithUsers()

const addContact = (id: string, name: string, phone: string, data: unknown) =>
  server.rows(
    `insert into contacts (id, "user", name, phone, data, created, updated)
      values ($1, $2, $3, $4, $5::json, pb_text(now()), pb_text(now()))`,
    [id.padEnd(15, '0'), ANN.id, name, phone, JSON.stringify(data)],
  )

await addContact('kiel', 'Ünal', KIEL, {
  City: 'Kiel',
  seats: 4,
  vip: true,
  nested: { a: 1 },
  empty: '',
})
await addContact('list', '', MANY, ['city'])

let templates = 0
async function template(body: string): Promise<string> {
  const id = `fields${templates++}x`.padEnd(15, '0')
  await server.rows(
    `insert into sms_templates (id, "user", name, body, created, updated)
      values ($1, $2, $1, $3, pb_text(now()), pb_text(now()))`,
    [id, ANN.id, body],
  )
  return id
}

/** The texts of a preview, and of a send, which must be the same. */
async function render(body: string, recipients: string[], variables = {}) {
  const request = { template_id: await template(body), recipients, variables }
  const preview = await server.preview(request)
  const sent = await server.ask('POST', 'send-template', request)
  expect(sent.status).toBe(preview.status)
  if (sent.status !== 200) return sent.body
  const stored = await server.rows(
    'select body, segments from sms_messages where id = any($1::text[]) order by array_position($1::text[], id)',
    [sent.body.message_ids],
  )
  const items = preview.body.items as { body: string; segments: number }[]
  expect(stored).toEqual(items.map((item) => [item.body, item.segments]))
  return items.map((item) => item.body)
}

test("a template is filled from each contact's own fields", async () => {
  expect(
    await render('{{city|your town}}: {{seats|2}} seats, {{vip|false}}', [KIEL, NOBODY]),
  ).toEqual(['Kiel: 4 seats, true', 'your town: 2 seats, false'])
})

test.each([
  ['no contact', '{{city}}', [KIEL, NOBODY], 'city'],
  ['data that is a list', '{{city}}', [MANY], 'city'],
  ['a field that is not a text', '{{nested}}', [KIEL], 'nested'],
  ['a name that objects inherit', '{{constructor}}', [KIEL], 'constructor'],
])(
  'a template with %s and no default is refused for all recipients: Missing variable: $3',
  async (_, body, recipients, name) => {
    const [before] = await server.rows('select count(*) from sms_messages', [])
    const message = `Missing variable: ${name}.`
    expect(await render(body, recipients)).toEqual({ error: 'invalid_template', message })
    expect((await server.rows('select count(*) from sms_messages', []))[0]).toEqual(before)
  },
)

test("a contact's data above the size limit counts as empty", async () => {
  const phone = '+4915120000013'
  await addContact('large', 'Large', phone, { city: 'Kiel', more: 'x'.repeat(100_000) })
  expect(await render('{{city|none}}', [phone])).toEqual(['none'])
})

test('a draft preview keeps variables without a value and lists them as missing', async () => {
  const request = { template_id: await template('{{name|you}} {{city}} {{code}}'), draft: true }
  const forNobody = await server.preview(request)
  expect(forNobody.body).toMatchObject({ body: 'you {{city}} {{code}}', missing: ['city', 'code'] })
  const forTwo = await server.preview({ ...request, recipients: [KIEL] })
  expect(forTwo.body).toMatchObject({ body: 'Ünal Kiel {{code}}', missing: ['code'] })
  const answer = await server.ask('POST', 'send-template', { ...request, recipients: [KIEL] })
  expect(answer.body).toMatchObject({ message: 'draft is not a field of this request' })
})

test('a preview lists a variable that is empty for one recipient and has no default', async () => {
  const forText = async (text: string, recipients: string[], variables = {}) => {
    const request = { template_id: await template(text), recipients, variables }
    const preview = await server.preview(request)
    const draft = await server.preview({ ...request, draft: true })
    expect(draft.body.missing).toEqual(preview.body.missing ?? [])
    return [
      preview.body.items.map((item: { body: string }) => item.body),
      preview.body.missing ?? [],
    ]
  }
  expect(await forText('Hi {{name}}', [KIEL, NOBODY])).toEqual([['Hi Ünal', 'Hi '], ['name']])
  expect(await forText('Hi {{name|there}}{{name|}}', [KIEL, NOBODY])).toEqual([
    ['Hi ÜnalÜnal', 'Hi there'],
    [],
  ])
  expect(await forText('In {{empty}} {{time}}', [KIEL], { time: ' ' })).toEqual([
    ['In   '],
    ['empty', 'time'],
  ])
})

test('a text is rendered like a template if variables are given, and sent unchanged otherwise', async () => {
  const request = { body: 'Hi {{Name}}, {{city|x}} at {{time}}', recipients: [KIEL, NOBODY] }
  const stored = async (variables?: Record<string, string>) => {
    const { body } = await server.ask('POST', 'send', { ...request, variables })
    const preview = await server.preview({ ...request, variables })
    const rows = await server.rows(
      'select body from sms_messages where id = any($1::text[]) order by array_position($1::text[], id)',
      [body.message_ids],
    )
    const texts = rows.map(([text]) => text)
    expect(preview.body.items.map((item: { body: string }) => item.body)).toEqual(texts)
    return texts
  }
  expect(await stored({ Time: '8' })).toEqual(['Hi Ünal, Kiel at 8', 'Hi , x at 8'])
  expect(await stored()).toEqual([request.body, request.body])
  const open = await server.ask('POST', 'send', { ...request, variables: {} })
  expect(open).toMatchObject({ status: 400, body: { message: 'Missing variable: time.' } })
  const draft = await server.preview({ ...request, variables: {}, draft: true })
  expect(draft.body).toMatchObject({ body: 'Hi Ünal, Kiel at {{time}}', missing: ['time', 'Name'] })
})
