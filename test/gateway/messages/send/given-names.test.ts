import { ANN, startServerWithUsers } from '../../../support/server/server-with-users.ts'

const ZOE = '+4900001'
const STRANGER = '+4915120000011'
const NAMELESS = '+4915120000012'

const server = await startServerWithUsers()
await server.rows(
  `insert into contacts (id, "user", name, phone, created, updated)
    values ('nameless0000001', $1, ' ', $2, pb_text(now()), pb_text(now()))`,
  [ANN.id, NAMELESS],
)
await server.rows(
  `insert into sms_templates (id, "user", name, body, created, updated)
    values ('greets000000001', $1, 'greets', $2, pb_text(now()), pb_text(now()))`,
  [ANN.id, 'Hallo {{name}}, bis {{zeit}}.'],
)

type Given = Readonly<Record<string, unknown>>
const BODY = { body: 'Hallo {{name}}, bis {{zeit}}.' }
const TEMPLATE = { template_id: 'greets000000001' }

/** The texts that leave, which a preview of the same must show. */
async function write(
  text: object,
  recipients: readonly string[],
  variables: Given | undefined,
  more = {},
) {
  const asked = { ...text, recipients, variables, ...more }
  const previewed = await server.preview(asked)
  const sent = await server.ask('POST', 'body' in text ? 'send' : 'send-template', asked)
  expect(sent.status).toBe(previewed.status)
  if (sent.status !== 200) return sent.body.message
  const stored = await server.rows(
    'select body from sms_messages where id = any($1::text[]) order by array_position($1::text[], id)',
    [sent.body.message_ids],
  )
  expect(previewed.body.items.map(({ body }: { body: string }) => [body])).toEqual(stored)
  return { texts: stored.flat(), missing: previewed.body.missing }
}

test.each<[string, string[], Given, string[], string[]?]>([
  ['a number without a contact takes it', [STRANGER], { name: 'Özlem' }, ['Özlem']],
  ['a contact without a name takes it', [NAMELESS], { name: 'Özlem' }, ['Özlem']],
  ['a contact keeps its own name', [ZOE], { name: 'Özlem' }, ['Zoe']],
  ['each of several', [ZOE, STRANGER, NAMELESS], { name: 'all' }, ['Zoe', 'all', 'all']],
  ['in other letters', [STRANGER], { NAME: 'أحمد' }, ['أحمد']],
  ['a number', [STRANGER], { name: 7 }, ['7']],
  ['braces stay text', [STRANGER], { name: '{{phone}}' }, ['{{phone}}']],
  ['none is given', [STRANGER], {}, [''], ['name']],
  ['an empty one is a value', [STRANGER, ZOE], { name: '' }, ['', 'Zoe'], ['name']],
  ['a blank one is a gap', [STRANGER], { name: ' ' }, [' '], ['name']],
])('a given name fills a gap: %s', async (_, recipients, given, names, missing) => {
  for (const text of [BODY, TEMPLATE])
    expect(await write(text, recipients, { zeit: '9 Uhr', ...given })).toEqual({
      texts: names.map((name) => `Hallo ${name}, bis 9 Uhr.`),
      missing,
    })
})

test.each(['\u200b', '\u3164', '\u2800', ' \u00a0\ufeff'])(
  'an invisible value is a gap: %j',
  async (blank) => {
    const strict = { requires_values: true }
    expect(await write(BODY, [STRANGER], { zeit: '9', name: blank }, strict)).toBe(
      'Missing variable: name.',
    )
    expect(await write(BODY, [ZOE], { zeit: blank }, strict)).toBe('Missing variable: zeit.')
    const body = { body: '{{name|du}}, {{zeit|bald}}' }
    const { texts } = await write(body, [STRANGER], { name: blank, zeit: blank }, strict)
    expect(texts).toEqual(['du, bald'])
  },
)

test('requires_values fills in the variables of a text without given ones', async () => {
  const more = { requires_values: true }
  const wrote = (recipient: string) =>
    write({ body: 'Hallo {{name}}!' }, [recipient], undefined, more)
  expect((await wrote(ZOE)).texts).toEqual(['Hallo Zoe!'])
  expect(await wrote(STRANGER)).toBe('Missing variable: name.')
})

test('a default takes the place of an empty name, not of a given one', async () => {
  const body = { body: '{{name|du}} {{phone}}' }
  const { texts } = await write(body, [STRANGER, NAMELESS], { name: '' })
  expect(texts).toEqual([`du ${STRANGER}`, `du ${NAMELESS}`])
  const given = await write(body, [STRANGER], { name: 'Ñandú', phone: '110' })
  expect(given.texts).toEqual([`Ñandú ${STRANGER}`])
})

test.each<[string, string[], Given, string | undefined]>([
  ['an empty value', [ZOE], { zeit: '' }, 'Missing variable: zeit.'],
  ['a blank value', [ZOE], { zeit: '\u00a0' }, 'Missing variable: zeit.'],
  ['no value', [ZOE], {}, 'Missing variable: zeit.'],
  ['neither contact nor name', [STRANGER], { zeit: '9' }, 'Missing variable: name.'],
  ['an empty name', [ZOE, NAMELESS], { zeit: '9', name: '' }, 'Missing variable: name.'],
  ['a given name', [STRANGER], { zeit: '9', name: 'Bo' }, undefined],
  ["a contact's name", [ZOE], { zeit: '9', name: '' }, undefined],
])('requires_values decides on a text with %s', async (_, recipients, given, message) => {
  for (const text of [BODY, TEMPLATE]) {
    const wrote = await write(text, recipients, given, { requires_values: true })
    if (message) expect(wrote).toBe(message)
    else expect(wrote.texts).toHaveLength(recipients.length)
  }
})

test('a form can require values, too', async () => {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    recipients: STRANGER,
    body: 'Hi {{name}}',
    variables: '{}',
    requires_values: 'true',
  }))
    form.append(name, value)
  const answer = await fetch(`${server.url}/api/sms/send`, {
    method: 'POST',
    headers: { 'x-api-key': ANN.key },
    body: form,
  })
  expect(await answer.json()).toMatchObject({ message: 'Missing variable: name.' })
})

test('a preview without recipients lists an empty value, and shows a given name', async () => {
  const { body } = await server.preview({ ...BODY, variables: { name: 'Özlem', zeit: '' } })
  expect(body).toMatchObject({ body: 'Hallo Özlem, bis .', missing: ['zeit'] })
})

test('a campaign takes a given name, and lists a gap', async () => {
  const user = await server.signedIn('users', ANN.id)
  const plan = (variables: Given, recipients = [STRANGER]) =>
    server.ask('POST', '/api/campaigns/preview', { ...BODY, recipients, variables }, user)
  const given = await plan({ name: 'Özlem', zeit: '9' })
  expect(given.body.first.body).toBe('Hallo Özlem, bis 9.')
  expect(given.body.missing).toBeUndefined()
  expect((await plan({ zeit: '9' }, [ZOE, STRANGER])).body.missing).toEqual(['name'])
})
