import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ANN, startServerWithUsers } from '../support/server/server-with-users.ts'
import { DOORS_PYTHON, hasApprise, hasNovu, novuFile } from './door-clients.ts'

// The published tools as they are, with our address and an API key in their forms.

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const server = await startServerWithUsers()
const { hostname: host, port } = new URL(server.url)

beforeEach(() => server.rows('delete from sms_messages'))
const sent = async () =>
  (await server.rows('select "to", body from sms_messages order by "to"')).map((row) => row.join(' '))

describe.skipIf(!hasApprise())('Apprise', () => {
  const apprise = (targets: string, key = ANN.key) =>
    run(
      'python3',
      [
        join(DOORS_PYTHON, 'bin', 'apprise'),
        '-b',
        'Disk full',
        `smseagle://${key}@${host}:${port}/${targets}`,
      ],
      {
        env: { ...process.env, PYTHONPATH: DOORS_PYTHON },
      },
    )

  test('sends to a number, a group and a contact', async () => {
    await apprise('+4915112345678/%23friends/@Xaver?batch=yes&priority=high')
    const to = ['+4900001', '+4900002', '+4900003', '+4900005', '+4915112345678']
    expect(await sent()).toEqual(to.map((number) => `${number} Disk full`))
  })

  test('says that it failed', async () => {
    await expect(apprise('+4915112345678', 'psk_nobodys')).rejects.toThrow('Command failed')
    await expect(apprise('@Abe')).rejects.toThrow('Command failed')
    expect(await sent()).toEqual([])
  })
})

describe.skipIf(!hasNovu())('Novu', () => {
  const text = { to: '+4915112345678', content: 'Your code: 123', id: 'novu1' }
  const user = { host, port, username: ANN.email, password: ANN.key, from: 'Shop' }
  const generic = {
    baseUrl: `${server.url}/api/v1/sms/send`,
    apiKeyRequestHeader: 'X-API-Key',
    apiKey: ANN.key,
    from: 'Shop',
  }
  const provider = (name: string, type: string, config: object) =>
    new (
      require(novuFile(name)) as Record<
        string,
        new (
          config: object,
        ) => { sendMessage(text: object): unknown }
      >
    )[type]!(config)

  test.each([
    ['kannel', 'KannelSmsProvider', user, { ...user, password: 'x' }],
    ['generic-sms', 'GenericSmsProvider', generic, { ...generic, apiKey: 'x' }],
  ])('%s', async (name, type, config, wrong) => {
    expect(await provider(name, type, config).sendMessage(text)).toEqual({
      id: expect.stringMatching(/^(novu1|\w{15})$/),
      date: expect.any(String),
    })
    expect(await sent()).toEqual(['+4915112345678 Your code: 123'])
    await expect(provider(name, type, wrong).sendMessage(text)).rejects.toThrow(/40[13]/)
    expect(await sent()).toHaveLength(1)
  })
})
