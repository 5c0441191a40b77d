import { request } from '../../support/server/request.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

const PASSWORD = 'a-long-password'
const RECORDS = '/api/collections/patrons/records'

const server = await startServerWithDevices({ SIGN_IN_TRIES: '1' })
const own = 'id = @request.auth.id'
const rules = { createRule: 'name != "no"', updateRule: own, listRule: own }
const patrons = { name: 'patrons', type: 'auth', ...rules }
const fields = [{ name: 'name', type: 'text', max: 10 }]
const made = await server.superuser.call('POST', '/api/collections', { ...patrons, fields })
expect(made.status, JSON.stringify(made.body)).toBe(200)

let count = 0
const member = (values: object = {}) => ({
  email: `m${++count}@example.com`,
  password: PASSWORD,
  passwordConfirm: PASSWORD,
  ...values,
})

const post = (path: string, body: object, authorization = '') =>
  request(server.url, 'POST', path, body, { authorization })

const batchOf = (records: readonly object[], method = 'POST', url = RECORDS) => ({
  requests: records.map((body) => ({ method, url, body })),
})

test('only passwords that are hashed count, and guests who send many must wait', {
  timeout: 60_000,
}, async () => {
  const wrong = [
    { name: 'no' },
    { name: 'much too long' },
    { passwordConfirm: 'another-password' },
    { password: 'short', passwordConfirm: 'short' },
  ]
  for (let i = 0; i < 5; i++) {
    for (const values of wrong) expect((await post(RECORDS, member(values))).status).toBe(400)
    expect((await post('/api/batch', batchOf([member(wrong[2])]))).status).toBe(400)
  }
  const batch = await post(
    '/api/batch',
    batchOf([member(), member(), member(), member(), member()]),
  )
  expect(batch.status, batch.text).toBe(200)
  for (let i = 0; i < 10; i++) expect((await post(RECORDS, member())).status).toBe(200)
  const refused = await post(RECORDS, member())
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
  expect((await post('/api/batch', batchOf([member()]))).status).toBe(429)
})

test('sign-ins are answered while a batch hashes twelve passwords', {
  timeout: 120_000,
}, async () => {
  const { token } = server.superuser
  expect((await post(RECORDS, member({ email: 'other@example.com' }), token)).status).toBe(200)
  let isDone = false
  const batch = post(
    '/api/batch',
    batchOf(Array.from({ length: 12 }, () => member())),
    token,
  ).finally(() => {
    isDone = true
  })
  let signIns = 0
  for (; !isDone; signIns++) {
    const form = { identity: 'other@example.com', password: PASSWORD }
    expect((await post('/api/collections/patrons/auth-with-password', form)).status).toBe(200)
  }
  expect((await batch).status).toBe(200)
  // they take turns with its passwords
  expect(signIns).toBeGreaterThan(4)
})

test('a batch can change the password of its sender', { timeout: 60_000 }, async () => {
  const email = 'changes@example.com'
  const { id } = (await post(RECORDS, member({ email }), server.superuser.token)).body
  const signIn = async (password: string) =>
    (await post('/api/collections/patrons/auth-with-password', { identity: email, password })).body
  const { token } = await signIn(PASSWORD)
  const change = {
    oldPassword: PASSWORD,
    password: 'another-password',
    passwordConfirm: 'another-password',
  }
  const url = `${RECORDS}/${id}`
  const answer = await post('/api/batch', batchOf([change], 'PATCH', url), token)
  expect(answer.status, answer.text).toBe(200)
  const changed = await signIn('another-password')
  const many = batchOf([change, change, change, change], 'PATCH', url)
  expect((await post('/api/batch', many, changed.token)).status).toBe(400)
})
