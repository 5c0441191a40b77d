import { startConsentFixture } from '../../support/consent-fixture.ts'
import { must } from '../../support/server/server-with-devices.ts'

const { server, ann, record, nextNumber } = await startConsentFixture()

const FIELDS = '/api/collections/contact_fields/records'
const CONTACTS = '/api/collections/contacts/records'
const define = (name: string, type: string, more: object = {}) =>
  record('contact_fields', { name, type, ...more }) as Promise<{
    id: string
    key: string
    former: unknown
  }>
const addContact = (data: object) => record('contacts', { phone: nextNumber(), data })
const dataOf = async (id: string) => (await must(ann, 'GET', `${CONTACTS}/${id}`)).data
const refusal = async (method: string, path: string, body: object) => {
  const answer = await ann.call(method, path, { user: ann.id, ...body })
  return [answer.status, answer.body.data] as const
}
const previewFor = async (body: string, phone: string) =>
  (await must(ann, 'POST', '/api/sms/preview', { recipients: [phone], body, variables: {} })).body

await define('Age', 'number')
await define('Birthday', 'date')
await define('Size', 'choice', { choices: ['S', ' M ', ''] })
await define('Street and number', 'text')

test.each([
  ['Age', '12,5', 12.5],
  ['Age', 7, 7],
  ['Age', 1.125, 1.125],
  ['Age', '1.1250', 1.125],
  ['Age', 0.1 + 0.2, 0.1 + 0.2],
  ['Age', 1e21, 1e21],
  ['Age', 1e-7, 1e-7],
  ['Age', 2 ** 60, 2 ** 60],
  ['Age', -0.5, -0.5],
  ['Age', '١٢٫٥', 12.5],
  ['Birthday', '१.२.१९९०', '1990-02-01'],
  ['Birthday', '31/12/1990', '1990-12-31'],
  ['Age', '0.125', 0.125],
  ['Birthday', '1.2.1990', '1990-02-01'],
  ['Birthday', '1990-02-01 10:00:00.000Z', '1990-02-01'],
  ['Size', 'm', 'M'],
  ['size', 'S', 'S'],
  ['Street and number', 'Hof 3', 'Hof 3'],
  ['Age', '', ''],
  ['Age', ' ', ''],
  ['Birthday', '\u00a0', ''],
  ['Size', '\u200b', ''],
  ['Unknown', { any: ['json'] }, { any: ['json'] }],
])('%s stores %j as %j', async (name, given, stored) => {
  const { id } = await addContact({ [name]: given, other: 1 })
  const key = name === 'size' ? 'Size' : name
  expect(await dataOf(id)).toEqual({ other: 1, [key]: stored })
})

test.each([
  ['Age', 'twelve', 'Age must be a number, such as 12.5.'],
  ['Age', '1,500', 'Age must be a number, such as 12.5.'],
  ['Age', '1.500', 'Age must be a number, such as 12.5.'],
  ['Age', '0.30000000000000004', 'Age must be a number, such as 12.5.'],
  ['Age', true, 'Age must be a number, such as 12.5.'],
  ['Birthday', '31.2.1990', 'Birthday must be a date, such as 2026-12-31.'],
  ['Birthday', '1990-02-01 - 1990-02-03', 'Birthday must be a date, such as 2026-12-31.'],
  ['Birthday', '01/02/1990', 'Birthday must be a date, such as 2026-12-31.'],
  ['Birthday', '1.2.90', 'Birthday must be a date, such as 2026-12-31.'],
  ['Birthday', 19900201, 'Birthday must be a date, such as 2026-12-31.'],
  ['Size', 'XL', 'Size must be one of: S, M.'],
  ['Street and number', { no: 'text' }, 'Street and number must be a text.'],
])(
  'a contact whose %s is %j is refused on create, update and in a batch',
  async (name, given, message) => {
    const data = { [name]: given }
    const { id } = await addContact({})
    const phone = nextNumber()
    const error = { data: { message } }
    expect(await refusal('POST', CONTACTS, { phone, data })).toMatchObject([400, error])
    expect(await refusal('PATCH', `${CONTACTS}/${id}`, { data })).toMatchObject([400, error])
    const requests = [{ method: 'PATCH', url: `${CONTACTS}/${id}`, body: { data } }]
    expect(await refusal('POST', '/api/batch', { requests })).toMatchObject([
      400,
      { requests: { 0: { response: { data: error } } } },
    ])
    expect(await dataOf(id)).toEqual({})
  },
)

describe('an account in Berlin', () => {
  beforeAll(async () => {
    const settings = await must(ann, 'GET', '/api/collections/user_settings/records')
    const values = { user: ann.id, country: 'DE', time_zone: 'Europe/Berlin' }
    const [known] = settings.items
    const path = '/api/collections/user_settings/records'
    if (known) await must(ann, 'PATCH', `${path}/${known.id}`, values)
    else await must(ann, 'POST', path, values)
  })
  afterAll(async () => {
    const { items } = await must(ann, 'GET', '/api/collections/user_settings/records')
    const values = { country: '', time_zone: '' }
    await must(ann, 'PATCH', `/api/collections/user_settings/records/${items[0].id}`, values)
  })

  test.each([
    ['2026-12-31T23:00:00.000Z', '2027-01-01', '1.1.2027'],
    ['2026-06-30 22:30:00.000Z', '2026-07-01', '1.7.2026'],
    ['2026-12-31T23:00:00', '2026-12-31', '31.12.2026'],
    ['05/06/2026', '2026-06-05', '5.6.2026'],
  ])('%s is the day %s of the account, and %s in its texts', async (given, stored, text) => {
    const { id } = await addContact({})
    const data = { Birthday: given, Age: 12.5 }
    const { phone } = await must(ann, 'PATCH', `${CONTACTS}/${id}`, { data })
    expect(await dataOf(id)).toEqual({ Birthday: stored, Age: 12.5 })
    expect(await previewFor('{{birthday}} {{Birthday:plain}} {{Age}}', phone)).toBe(
      `${text} ${stored} 12,5`,
    )
    const asked = { recipients: [phone], body: '{{Birthday:long}}', variables: { birthday: 'X' } }
    expect((await must(ann, 'POST', '/api/sms/preview', asked)).body).toBe('X')
  })
})

test('a value that is older than its field stays until it is changed', async () => {
  const { id } = await addContact({ Joined: 'last summer', town: 'Kiel' })
  await define('Joined', 'date')
  const data = { Joined: 'last summer', town: 'Bonn' }
  await must(ann, 'PATCH', `${CONTACTS}/${id}`, { data })
  expect(await dataOf(id)).toEqual(data)
  const wrong = { data: { ...data, Joined: 'last winter' } }
  expect((await refusal('PATCH', `${CONTACTS}/${id}`, wrong))[0]).toBe(400)
})

test('a renamed field keeps its values, and texts find it by each of its names', async () => {
  const field = await define('Ort', 'text')
  const { id } = await addContact({ Ort: 'Köln' })
  const { phone } = await must(ann, 'GET', `${CONTACTS}/${id}`)
  for (const name of ['Stadt', 'City of residence'])
    await must(ann, 'PATCH', `${FIELDS}/${field.id}`, { name, key: 'mine', former: [] })
  expect(await must(ann, 'GET', `${FIELDS}/${field.id}`)).toMatchObject({
    name: 'City of residence',
    key: 'Ort',
    former: ['Stadt'],
  })
  expect(await previewFor('{{Ort}} {{stadt}} {{City of residence}}', phone)).toBe('Köln Köln Köln')
  await must(ann, 'PATCH', `${CONTACTS}/${id}`, { data: { Ort: 'Köln', Stadt: 'Bonn' } })
  expect(await dataOf(id)).toEqual({ Ort: 'Bonn' })
  expect(await refusal('POST', FIELDS, { name: 'STADT', type: 'text' })).toMatchObject([
    400,
    { name: { message: 'The field City of residence had this name before.' } },
  ])
})

test.each([
  [{ name: 'age', type: 'text' }, 'name'],
  [{ name: 'Phone', type: 'text' }, 'name'],
  [{ name: '  ', type: 'text' }, 'name'],
  [{ name: 'a|b', type: 'text' }, 'name'],
  [{ name: 'New', type: 'colour' }, 'type'],
  [{ name: 'New', type: 'choice' }, 'choices'],
  [{ name: 'New', type: 'choice', choices: ['a', 'A'] }, 'choices'],
  [{ name: 'New', type: 'choice', choices: { a: 1 } }, 'choices'],
])('the field %j is refused', async (values, name) => {
  const [status, errors] = await refusal('POST', FIELDS, values)
  expect([status, Object.keys(errors)]).toEqual([400, [name]])
})

const encode = (name: string) =>
  [...Buffer.from(name)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)

test.each([
  'a.b',
  'a:b',
  'a:lower',
  '"a" \'b\'',
  'a[0] (b)',
  'a, b; c',
  'a\\b/%41$',
  '2027',
  '@now',
  '長'.repeat(64),
])('a field called %s is found, sorted by, and named in texts', async (name) => {
  const field = await define(name, 'number')
  expect(field.key).toBe(name)
  const people = []
  for (const value of [2, 1, 3]) people.push(await addContact({ [name]: value }))
  const member = `data.${encode(name).join('')}`
  const query = new URLSearchParams({ filter: `${member} > 1`, sort: `-${member}` })
  const { items } = await must(ann, 'GET', `${CONTACTS}?${query}`)
  expect(items.map(({ data }: { data: Record<string, number> }) => data[name])).toEqual([3, 2])
  const { phone } = await must(ann, 'GET', `${CONTACTS}/${people[2]!.id}`)
  expect(await previewFor(`{{${name}}}`, phone)).toBe('3')
  await must(ann, 'DELETE', `${FIELDS}/${field.id}`)
  expect(await dataOf(people[2]!.id)).toBeNull()
})

test.each(['a|b', '{a}', 'a}'])('a field called %s is refused, and says why', async (name) => {
  const [status, { name: fault }] = await refusal('POST', FIELDS, { name, type: 'text' })
  expect([status, fault.message]).toEqual([
    400,
    'A name has none of { } and |, which mark variables in templates.',
  ])
})

test('the uses of a field name answers and campaigns without a name by their words or their text', async () => {
  const field = await define('Table', 'text')
  const body = 'Your table is {{table|free}}.\nSee you soon'
  await record('auto_answers', { match: 'words', value: 'TABLE,SEAT', body })
  await record('auto_answers', { match: 'any', body: ` ${body}` })
  const later = { scheduled_at: '2090-01-01 00:00:00.000Z', recipients: [nextNumber()] }
  await must(ann, 'POST', '/api/campaigns', { body, variables: {}, ...later })
  const uses = await must(ann, 'GET', `/api/contacts/fields/${field.id}/uses`)
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)
  const beginning = 'Your table is {{table|free}}.'
  expect([names(uses.answers), names(uses.campaigns)]).toEqual([
    [beginning, 'TABLE,SEAT'],
    [beginning],
  ])
})

test('a deleted field is lost in all contacts and in no other account, and says so before', async () => {
  const field = await define('Note', 'text')
  const [one, two, none] = [
    await addContact({ a: 1, Note: 'x', b: [1.5, 'y'] }),
    await addContact({ Note: 'y' }),
    await addContact({ a: 1 }),
  ]
  const ben = await server.makeUser()
  const others = await must(ben, 'POST', CONTACTS, {
    user: ben.id,
    phone: nextNumber(),
    data: { Note: 'z' },
  })
  const { id: template } = await record('sms_templates', { name: 'Hi', body: 'Hi {{note|you}}' })
  const fee = { name: 'Fee', match: 'words', value: 'FEE', body: 'Yours is {{note}}.' }
  const { id: answer } = await record('auto_answers', fee)
  expect(await must(ann, 'GET', `/api/contacts/fields/${field.id}/uses`)).toEqual({
    contacts: 2,
    templates: [{ id: template, name: 'Hi' }],
    campaigns: [],
    answers: [{ id: answer, name: 'Fee' }],
  })
  expect((await ben.call('GET', `/api/contacts/fields/${field.id}/uses`)).status).toBe(404)
  const { phone } = await must(ann, 'GET', `${CONTACTS}/${one.id}`)
  expect(await previewFor('Hi {{note}}', phone)).toBe('Hi x')
  await must(ann, 'DELETE', `${FIELDS}/${field.id}`)
  const text = { recipients: [phone], body: 'Hi {{note}}', variables: {} }
  expect((await ann.call('POST', '/api/sms/send', text)).status).toBe(400)
  expect(await previewFor('Hi {{note|you}}', phone)).toBe('Hi you')
  expect(await dataOf(one.id)).toEqual({ a: 1, b: [1.5, 'y'] })
  expect(await dataOf(two.id)).toBeNull()
  expect(await dataOf(none.id)).toEqual({ a: 1 })
  expect((await must(ben, 'GET', `${CONTACTS}/${others.id}`)).data).toEqual({ Note: 'z' })
})

test('a new field takes over values under its name in other letters, which other values outlive', async () => {
  const all = [
    { LEVEL: 'gold', a: 1 },
    { level: 'x', LeVel: 'y' },
    { Level: 1, LEVEL: 2 },
    { a: 2 },
  ]
  const contacts = await Promise.all(all.map(addContact))
  await define('Level', 'text')
  expect(await Promise.all(contacts.map(({ id }) => dataOf(id)))).toEqual([
    { Level: 'gold', a: 1 },
    { level: 'x', Level: 'y' },
    { Level: 1, LEVEL: 2 },
    { a: 2 },
  ])
})

test('two members who define the same name at once get one field', async () => {
  const both = await Promise.all(
    ['Twice', 'twice'].map((name) =>
      ann.call('POST', FIELDS, { user: ann.id, name, type: 'text' }),
    ),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('linked contacts keep their own consent, and a preview of an erasure names the other number', async () => {
  const person = 'linkedperson000'
  const numbers = [nextNumber(), nextNumber()]
  const [one, two] = await Promise.all(
    numbers.map((phone) => record('contacts', { name: 'Anna', phone, person })),
  )
  await must(ann, 'PATCH', `${CONTACTS}/${one!.id}`, { opted_out: true })
  expect((await must(ann, 'GET', `${CONTACTS}/${two!.id}`)).opted_out).toBe(false)
  const preview = (number: string) =>
    must(ann, 'POST', '/api/person/erase', { number, preview: true })
  expect((await preview(numbers[0]!)).linked).toEqual([
    { contact: two!.id, number: numbers[1], name: 'Anna' },
  ])
  await must(ann, 'PATCH', `${CONTACTS}/${two!.id}`, { person: '' })
  expect((await preview(numbers[0]!)).linked).toEqual([])
})
