import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const user = await server.makeUser()
const phone = await server.pair(user)
const settings = { batch: { enabled: true, maxRequests: 10, timeout: 5 } }
await server.superuser.call('PATCH', '/api/settings', settings)
const fields = [
  { name: 'picture', type: 'file' },
  { name: 'spot', type: 'geoPoint' },
  { name: 'flag', type: 'bool' },
  { name: 'data', type: 'json' },
  { name: 'groups', type: 'relation', collectionId: 'contact_groups', maxSelect: 9 },
]
const templates = (await server.superuser.call('GET', '/api/collections/sms_templates')).body
await server.superuser.call('PATCH', '/api/collections/sms_templates', {
  fields: [...templates.fields, ...fields],
})

const records = (collection: string) => `/api/collections/${collection}/records`
let count = 0
const template = () => ({ user: user.id, name: 'a name', body: 'a text' })
const INVALID = { code: 'validation_invalid_value' }

test.each([
  ['an invalid month', '2026-13-01'],
  ['a word', 'gestern'],
  ['a number', 5],
  ['a boolean', false],
  ['a list', ['2026-01-01']],
  ['the zero time of Go', '0001-01-01 00:00:00Z'],
])('an API key whose expires_at is %s is refused', async (_, expires_at) => {
  const made = await user.call('POST', records('api_keys'), {
    user: user.id,
    name: 'key',
    expires_at,
  })
  expect(made).toMatchObject({ status: 400, body: { data: { expires_at: INVALID } } })
  expect(made.body.data.expires_at.message).toBe(
    'Must be a date like 2026-11-20 07:00:00.000Z, or empty.',
  )
})

test.each(['', null])('an API key whose expires_at is %j never expires', async (expires_at) => {
  const made = await user.call('POST', records('api_keys'), {
    user: user.id,
    name: 'key',
    expires_at,
  })
  expect(made).toMatchObject({ status: 200, body: { expires_at: '' } })
})

const email = () => `${++count}@example.com`
const account = () => ({
  email: email(),
  password: 'secret-enough',
  passwordConfirm: 'secret-enough',
})

test.each(['abc', null, '', true, [], {}, '1e999'])(
  'a quota of %j is refused and leaves the stored quota',
  async (quota) => {
    const body = { ...account(), monthly_quota: quota }
    const made = await server.superuser.call('POST', records('users'), body)
    expect(made).toMatchObject({ status: 400, body: { data: { monthly_quota: INVALID } } })
    const path = `${records('users')}/${user.id}`
    await server.superuser.call('PATCH', path, { monthly_quota: 7 })
    for (const key of ['monthly_quota', 'monthly_quota+', 'monthly_quota-']) {
      const changed = await server.superuser.call('PATCH', path, { [key]: quota })
      expect(changed).toMatchObject({ status: 400, body: { data: { monthly_quota: INVALID } } })
    }
    expect((await server.superuser.call('GET', path)).body.monthly_quota).toBe(7)
    await server.superuser.call('PATCH', path, { monthly_quota: 0 })
  },
)

test('a device limit that is not a number is refused', async () => {
  const change = await user.call('PATCH', `${records('devices')}/${phone.id}`, { daily_limit: 'x' })
  expect(change).toMatchObject({ status: 400, body: { data: { daily_limit: INVALID } } })
})

test.each([
  ['a group that is an object', { groups: [{ id: 'x' }] }, 'groups'],
  ['a group that is null', { groups: [null] }, 'groups'],
  ['a bool in words', { flag: 'no' }, 'flag'],
  ['a bool that is null', { flag: null }, 'flag'],
  ['a number as a bool', { flag: 2 }, 'flag'],
  ['a point without a place', { spot: { lon: 'x', lat: 1 } }, 'spot'],
  ['a point that is a word', { spot: 'here' }, 'spot'],
])('%s is refused with an error at the field $2', async (_, body, field) => {
  const made = await user.call('POST', records('sms_templates'), { ...template(), ...body })
  expect(made).toMatchObject({ status: 400, body: { data: { [field]: INVALID } } })
})

test('all invalid fields are reported together with missing required ones', async () => {
  const body = { user: user.id, body: {}, flag: 'no', name: [] }
  expect((await user.call('POST', records('sms_templates'), body)).body.data).toMatchObject({
    body: { code: 'validation_required' },
    name: { code: 'validation_required' },
    flag: INVALID,
  })
})

test.each([
  [
    'a number as the text of its digits, and a bool written as text',
    { name: 5, flag: 'true' },
    { name: '5', flag: true },
  ],
  [
    'null: a relation list is stored empty, JSON as null',
    { spot: null, groups: null, data: null },
    { groups: [], data: null },
  ],
  [
    'a point written as JSON text, and stores the point',
    { spot: '{"lon":1,"lat":2}' },
    { spot: { lon: 1, lat: 2 } },
  ],
  ['a text in a JSON field, and stores it unchanged', { data: 'a word' }, { data: 'a word' }],
  ["any value for the server's own dates", { created: 'never', updated: 5 }, { flag: false }],
])('a create accepts %s', async (_, body, stored) => {
  const made = await user.call('POST', records('sms_templates'), { ...template(), ...body })
  expect(made).toMatchObject({ status: 200, body: stored })
})

test('invalid dates are refused in a batch and in a form as well', async () => {
  const request = {
    method: 'POST',
    url: records('api_keys'),
    body: { user: user.id, name: 'k', expires_at: 'x' },
  }
  const batch = await user.call('POST', '/api/batch', { requests: [request] })
  expect(batch.body.data.requests[0].response.data.expires_at).toMatchObject(INVALID)
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...template(), flag: 'on' })) form.set(name, value)
  form.set('picture', new File(['x'], 'x.txt'))
  const post = async () => (await user.call('POST', records('sms_templates'), form)).body
  expect((await post()).data).toMatchObject({ flag: INVALID })
  form.set('flag', 'false')
  expect(await post()).toMatchObject({ flag: false })
})
