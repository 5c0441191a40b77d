import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { readConfig } from '../../src/platform/config.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import {
  client,
  must,
  pairDevice,
  signIn,
  startServerWithDevices,
} from '../support/server/server-with-devices.ts'
import { SUPERUSER } from '../support/server/start.ts'
import { EXAMPLES, readExample } from './example.ts'

// Docker is not started: the server and Caddy run as programs, with the settings and the file of the example.

const FOLDER = join(EXAMPLES, 'team-inbox')
const { services } = parse(readExample('team-inbox/compose.yml'))

test('the server trusts the address of Caddy, and every mounted file exists', () => {
  const environment: Record<string, string> = {
    ...services.server.environment,
    PUBLIC_URL: 'https://sms.example.com',
  }
  const { trustedProxies } = readConfig(environment)
  expect(trustedProxies).toEqual([services.caddy.networks.default.ipv4_address])
  const mounts = (services.caddy.volumes as string[]).map((mount) => mount.split(':')[0]!)
  for (const file of mounts.filter((mount) => mount.startsWith('./')))
    expect(existsSync(join(FOLDER, file))).toBe(true)
})

test('the example uses the image of docker-compose.yml', () => {
  expect(readExample('../docker-compose.yml')).toContain(`image: ${services.server.image}\n`)
})

const canStart = ['caddy version', 'curl --version', 'jq --version'].every((line) => {
  const [program, argument] = line.split(' ') as [string, string]
  return runs(program, argument)
})

test.skipIf(!canStart)('the script invites an agent, who sees a text through Caddy', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const gateway = await startServerWithDevices({ PUBLIC_URL: url, TRUSTED_PROXIES: '127.0.0.1' })
  const home = temporaryFolder()
  const node = gateway.url.replace('http://', '')
  const env = { SITE_ADDRESS: url, NODE: node, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  const args = ['run', '--config', join(FOLDER, 'Caddyfile'), '--adapter', 'caddyfile']
  const caddy = await startProgram('caddy', args, env, url, '/api/health')
  onTestFinished(() => caddy.stop())
  expect((await fetch(`${url}/metrics`)).status).toBe(404)

  const owner = { OWNER_EMAIL: 'inbox@example.com', OWNER_PASSWORD: 'another-long-password' }
  const root = { ROOT_EMAIL: SUPERUSER.email, ROOT_PASSWORD: SUPERUSER.password }
  const options = {
    env: { ...process.env, ...root, ...owner, URL: url },
    encoding: 'utf8',
  } as const
  const { stdout } = await promisify(execFile)('sh', [join(FOLDER, 'team.sh')], options)
  const link = stdout.trim()
  expect(link.startsWith(`${url}/`)).toBe(true)

  const password = 'bens-password'
  const ben = { name: 'Ben', email: 'ben@example.com', password, passwordConfirm: password }
  const accept = { secret: link.split('/').at(-1), ...ben }
  const { account } = await must(
    client(url, '', ''),
    'POST',
    '/api/account/invitations/accept',
    accept,
  )
  const inbox = await signIn(url, 'users', owner.OWNER_EMAIL, owner.OWNER_PASSWORD)
  expect(account).toBe(inbox.id)
  const phone = await pairDevice(url, inbox)
  await gateway.hear(phone, [['+4915112345678', 'Are you open?']])

  const own = await signIn(url, 'users', ben.email, password)
  const { token } = await must(own, 'POST', '/api/account/act-for', { account })
  const { items } = await must(
    client(url, account, token),
    'GET',
    '/api/collections/conversations/records',
  )
  expect(items).toMatchObject([{ number: '+4915112345678', last_text: 'Are you open?', unread: 1 }])
})
