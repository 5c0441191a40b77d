import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../docs/page.ts'
import { freePort } from '../support/database/postgres.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { AUTH_FOLDER, AUTH_NPM, hasAuthServers } from '../third-party/door-clients.ts'
import { EXAMPLES, readExample } from './example.ts'

const TO = '+4915112345678'
const gateway = await startServerWithDevices()
const user = await gateway.makeUser()
const phone = await gateway.pair(user)

test('auth.js is the file of docs/recipes/auth-servers.md', () => {
  const block = blocksOf('docs/recipes/auth-servers.md').find(({ text }) =>
    text.includes('betterAuth'),
  )!
  expect(readExample('sign-in/auth.js').trim()).toBe(block.text.trim())
})

test('better-auth has the version that is tested', () => {
  const { dependencies } = JSON.parse(readExample('sign-in/package.json'))
  expect(dependencies).toEqual({ 'better-auth': AUTH_NPM['better-auth'] })
})

test.skipIf(!hasAuthServers())('a visitor signs in with the code of a text', async () => {
  const folder = mkdtempSync(join(AUTH_FOLDER, 'sign-in-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(EXAMPLES, 'sign-in'), folder, { recursive: true })
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', {
    user: user.id,
    name: 'app',
  })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const own = {
    BETTER_AUTH_URL: url,
    BETTER_AUTH_SECRET: 'x'.repeat(32),
    BETTER_AUTH_TELEMETRY: '0',
  }
  const env = { ...own, POCKETSMS_URL: gateway.url, POCKETSMS_KEY: key, PORT: String(port) }
  const server = await startProgram(process.execPath, [join(folder, 'server.js')], env, url, '/')
  onTestFinished(() => server.stop())
  expect(await (await fetch(url)).text()).toContain('autocomplete="one-time-code"')

  const ask = (path: string, values: object) =>
    request(url, 'POST', `/api/auth/phone-number/${path}`, { phoneNumber: TO, ...values })
  expect((await ask('send-otp', {})).status).toBe(200)
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 1 })
  expect(items).toMatchObject([{ to: TO }])
  const code = /\d{6}/.exec(items[0].body)![0]
  const wrong = String(999_999 - Number(code)).padStart(6, '0')
  expect((await ask('verify', { code: wrong })).status).toBe(400)
  const { status, headers } = await ask('verify', { code })
  expect(status).toBe(200)
  const cookie = headers.get('set-cookie')!
  const session = await request(url, 'GET', '/api/auth/get-session', undefined, { cookie })
  expect(session.body.user).toMatchObject({ phoneNumber: TO, phoneNumberVerified: true })
})
