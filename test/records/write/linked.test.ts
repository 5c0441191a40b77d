import { expect, test } from 'vitest'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const server = stopAfterAll(await startServerWithMail())
const root = await server.superuser()
const user = await server.addUser('ann@example.com')

const USERS = '_pb_users_auth_'
const EXTERNAL = { collectionRef: USERS, provider: 'oidc', providerId: '1' }

test.each([
  [
    'whose collection is no id',
    { ...EXTERNAL, collectionRef: 'users', recordRef: 'USER' },
    'collectionRef',
    'validation_invalid_collection_id',
  ],
  [
    'whose collection signs nobody in',
    { ...EXTERNAL, collectionRef: 'contacts', recordRef: 'USER' },
    'collectionRef',
    'validation_invalid_collection_type',
  ],
  [
    'whose owner is not there, nor its provider',
    { ...EXTERNAL, recordRef: 'nobody', provider: 'x' },
    'recordRef',
    'validation_invalid_record',
  ],
  [
    'of an unknown provider',
    { ...EXTERNAL, recordRef: 'USER', provider: 'x' },
    'provider',
    'validation_in_invalid',
  ],
  [
    'without an id at the provider, that comes first',
    { ...EXTERNAL, recordRef: 'nobody', providerId: '' },
    'providerId',
    'validation_required',
  ],
] as const)('a link %s is refused', async (_, form, field, code) => {
  const body = { ...form, recordRef: form.recordRef.replace('USER', user) }
  const answer = await server.post('/api/collections/_externalAuths/records', body, root)
  expect(answer.body).toMatchObject({ status: 400, data: { [field]: { code } } })
  expect(Object.keys(answer.body.data as object)).toEqual([field])
})

test.each([
  ['_otps', { password: 'secret' }],
  ['_mfas', { method: 'otp' }],
  ['_authOrigins', { fingerprint: 'f' }],
  ['_externalAuths', { provider: 'oidc', providerId: '1' }],
])('%s: an owner must be there, before and after', async (name, form) => {
  const path = `/api/collections/${name}/records`
  const make = (recordRef: string) => server.post(path, { ...form, collectionRef: USERS, recordRef }, root)
  expect((await make('nobody')).body).toMatchObject({
    data: { recordRef: { code: 'validation_invalid_record' } },
  })
  const { body } = await make(user)
  const moved = await server.call('PATCH', `${path}/${body.id}`, { collectionRef: 'devices' }, root)
  expect(moved.body).toMatchObject({ data: { recordRef: { code: 'validation_invalid_record' } } })
})
