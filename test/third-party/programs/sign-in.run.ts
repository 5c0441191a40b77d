import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freePort } from '../../support/database/postgres.ts'
import { answers, start, startProgramFixture, TO, testOf } from './fixture.ts'
import { hasPython, pythonFile } from './packages.ts'

// Servers that sign people in, with the settings of their pages.

const run = promisify(execFile)
const fixture = await startProgramFixture()
const { at, fields, hook, sent, write } = fixture

testOf('privacyIDEA', hasPython('privacyidea'))(
  'privacyIDEA sends the code of an SMS token by a hook of codes',
  async () => {
    const secret = await hook({ preset: 'text', kind: 'codes', recipients_from: 'to' })
    const settings = {
      SUPERUSER_REALM: ['super'],
      SECRET_KEY: 'key of the test',
      PI_PEPPER: 'pepper of the test',
      SQLALCHEMY_DATABASE_URI: `sqlite:///${at('privacyidea.sqlite')}`,
      PI_ENCFILE: at('enckey'),
      PI_AUDIT_NO_SIGN: 'yes',
      PI_LOGFILE: at('privacyidea.log'),
    }
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = ${JSON.stringify(value)}`,
    )
    const env = { PRIVACYIDEA_CONFIGFILE: write('pi.cfg', `${lines.join('\n')}\n`) }
    const manage = (...args: string[]) =>
      run(pythonFile('privacyidea'), args, { cwd: fixture.folder, env: { ...process.env, ...env } })
    await manage('setup', 'create_enckey')
    await manage('setup', 'create_tables')
    await manage('admin', 'add', 'admin', '-p', 'secret')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const program = start(pythonFile('privacyidea'), ['run', '-p', `${port}`], env, fixture.folder)
    await answers(program, url)

    const ask = async (path: string, body: object, token = '') => {
      const headers = { 'content-type': 'application/json', authorization: token }
      const answer = await fetch(url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const { result } = (await answer.json()) as { result: { status: boolean; value: unknown } }
      if (!result.status) throw new Error(`${path}: ${JSON.stringify(result)}`)
      return result
    }
    const { token } = (await ask('/auth', { username: 'admin', password: 'secret' })).value as {
      token: string
    }
    const entered = fields('programs/privacyidea', { SECRET: secret })
    const names = ['URL', 'HTTP_METHOD', 'SEND_DATA_AS_JSON', 'RETURN_SUCCESS']
    const own = [...names, 'option to', 'option text'].map((name) => [
      `option.${name.replace('option ', '')}`,
      entered[name],
    ])
    const provider = 'privacyidea.lib.smsprovider.HttpSMSProvider.HttpSMSProvider'
    const gateway = { name: 'pocketsms', module: provider, ...Object.fromEntries(own) }
    await ask('/smsgateway', gateway, token)
    await ask('/system/setConfig', { 'sms.identifier': 'pocketsms' }, token)
    const person = { type: 'sms', phone: TO, serial: 'S1', pin: '1234', genkey: 1 }
    await ask('/token/init', person, token)
    const challenge = await ask('/validate/check', { serial: 'S1', pass: '1234' })
    expect(challenge).toMatchObject({ authentication: 'CHALLENGE' })
    expect(await sent()).toEqual([`${TO} ••••••`])
  },
)
