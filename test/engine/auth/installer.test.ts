import {
  deleteSuperuser,
  listSuperusers,
  makeInstallerLink,
  upsertSuperuser,
} from '../../../src/engine/auth/superusers.ts'
import { findRecordByToken } from '../../../src/engine/auth/tokens.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { testConfig } from '../../support/server/start.ts'

const config = await testConfig()
const server = await runServer(config, createLogger(config))

const store = () => server.services.store
const signIn = (identity: string, password: string) =>
  fetch(`${server.url}/api/collections/_superusers/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identity, password }),
  })
const tokenOf = (link: string | null) => link?.replace(/^.*#\/pbinstall\//, '') ?? ''

test('the first start prints an install link that works until a superuser exists', async () => {
  const link = await makeInstallerLink(store(), 'https://sms.example.com')
  expect(link).toMatch(/^https:\/\/sms\.example\.com\/_\/#\/pbinstall\/ey/)
  const standIn = await findRecordByToken(store(), tokenOf(link), 'auth')
  expect(standIn?.isSuperuser).toBe(true)
  expect(await listSuperusers(store())).toEqual([])

  const response = await fetch(`${server.url}/api/collections/_superusers/records`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: tokenOf(link) },
    body: JSON.stringify({
      email: 'first@example.com',
      password: 'firstpass1',
      passwordConfirm: 'firstpass1',
    }),
  })
  expect(await response.json()).toMatchObject({ email: 'first@example.com', verified: true })
  expect(await findRecordByToken(store(), tokenOf(link), 'auth')).toBeNull()
  expect(await makeInstallerLink(store(), 'https://sms.example.com')).toBeNull()
})

test('the CLI saves, lists and deletes superusers by address, but not the last one', async () => {
  await upsertSuperuser(store(), 'second@example.com', 'secondpass')
  await upsertSuperuser(store(), 'second@example.com', 'otherpass1')
  expect(await listSuperusers(store())).toEqual(['first@example.com', 'second@example.com'])
  const places = () => store().db.query('select 1 from "_authOrigins"')
  await signIn('first@example.com', 'firstpass1')
  expect((await places()).rows).toHaveLength(1)
  await deleteSuperuser(store(), 'first@example.com')
  expect((await places()).rows).toHaveLength(0)
  await expect(deleteSuperuser(store(), 'second@example.com')).rejects.toThrow(
    'The last superuser cannot be deleted.',
  )
  await expect(deleteSuperuser(store(), 'nobody@example.com')).rejects.toThrow(
    'There is no superuser nobody@example.com.',
  )
})

test.each([
  ['x', 'goodpass1', /email: Must be a valid email address/],
  ['a@example.com', 'short', /password: Must be at least 8 character/],
  ['a@example.com', '', /password: Cannot be blank/],
])('superuser %j with password %j is refused with $2', async (email, password, sentence) => {
  const refusal = await upsertSuperuser(store(), email, password).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(UserError)
  expect(String(refusal)).toMatch(sentence)
})
