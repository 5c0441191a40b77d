import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { blocksOf } from '../docs/page.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { startProgram } from '../support/server/program.ts'
import { must } from '../support/server/server-with-devices.ts'
import { makeKey, pairPhone, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'
import { until } from '../support/until.ts'
import {
  DJANGO_FOLDER,
  hasDjango,
  hasNodeRed,
  hasShoutrrr,
  NODE_RED,
  SHOUTRRR,
} from './program-tools.ts'

// The published programs with the settings of their pages, and our address and secret in them.

const run = promisify(execFile)
const fixture = await startTwilioFixture()
const { gateway } = fixture
const ann = await fixture.makeUser()
await pairPhone(fixture, ann, '+4915550000001')
const { key } = await makeKey(ann.user)
const { email } = await must(ann.user, 'GET', `/api/collections/users/records/${ann.user.id}`)

const blockOf = (page: string, word: string) =>
  blocksOf(`docs/recipes/programs/${page}.md`)
    .find(({ text }) => text.includes(word))!
    .text.replaceAll('https://sms.example.com', gateway.url)
    .replaceAll('ann@example.com', email)
    .replaceAll('psk_…', key)

const sent = async () =>
  (await gateway.query('select "to", body from sms_messages order by "to", body')).map((row) =>
    row.join(' '),
  )
beforeEach(() => gateway.query('delete from sms_messages'))

test.skipIf(!hasDjango())(
  'django-otp-twilio sends a token, and RapidSMS a text to two numbers',
  async () => {
    const program = join(import.meta.dirname, 'send-by-django.py')
    const backends = blockOf('rapidsms', 'INSTALLED_BACKENDS')
    const args = [program, gateway.url, ann.sid, ann.token, backends]
    const { stdout } = await run('python3', args, {
      env: { ...process.env, PYTHONPATH: DJANGO_FOLDER },
    })
    expect(stdout).toBe('Sent by SMS\n')
    expect(await sent()).toEqual([
      expect.stringMatching(/^\+4915112345678 Your code is \d{6}$/),
      '+4915112345679 Grüße',
      '+4915112345680 Grüße',
    ])
  },
)

describe.skipIf(!hasShoutrrr())('Shoutrrr', () => {
  const shoutrrr = async (preset: string, query: string) => {
    const fields = { user: ann.user.id, name: 'Beszel', preset, recipients: ['+4915112345678'] }
    const { secret } = await must(ann.user, 'POST', '/api/collections/hooks/records', fields)
    const url = `generic://${new URL(gateway.url).host}/api/hooks/${secret}?disabletls=yes${query}`
    await run(SHOUTRRR, ['send', '--url', url, '--title', 'web-1', '--message', 'CPU above 90 %'])
  }

  test('Shoutrrr sends a message as plain text to a hook', async () => {
    await shoutrrr('text', '')
    expect(await sent()).toEqual(['+4915112345678 CPU above 90 %'])
  })

  test('Shoutrrr sends a title and a message as JSON to a hook', async () => {
    await shoutrrr('home-assistant', '&template=json')
    expect(await sent()).toEqual(['+4915112345678 web-1: CPU above 90 %'])
  })
})

test.skipIf(!hasNodeRed())('Node-RED sends a text by a function and an http request', async () => {
  const folder = temporaryFolder()
  const flow = { z: 'tab', x: 0, y: 0 }
  const flows = [
    { id: 'tab', type: 'tab', label: 'Texts' },
    {
      ...{ ...flow, id: 'inject', type: 'inject', once: true, onceDelay: 0.1 },
      ...{ payload: 'The pump is off.', payloadType: 'str', topic: '', repeat: '', crontab: '' },
      props: [{ p: 'payload' }],
      wires: [['function']],
    },
    {
      ...{ ...flow, id: 'function', type: 'function', outputs: 1 },
      func: blockOf('node-red', 'msg.payload'),
      wires: [['request']],
    },
    {
      ...{ ...flow, id: 'request', type: 'http request', method: 'POST', ret: 'obj' },
      ...{ url: `${gateway.url}/api/sms/send`, paytoqs: 'ignore', senderr: true },
      wires: [[]],
    },
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'flows.json'), JSON.stringify(flows))
  const port = await freePort()
  const settings = { uiPort: port, uiHost: '127.0.0.1', flowFile: 'flows.json' }
  writeFileSync(join(folder, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
  const url = `http://127.0.0.1:${port}`
  const program = await startProgram(
    process.execPath,
    [NODE_RED, '--userDir', folder],
    { SMS_KEY: key },
    url,
    '/settings',
  )
  try {
    await until('the text of Node-RED', async () => (await sent()).length > 0)
    expect(await sent()).toEqual(['+4915112345678 The pump is off.'])
  } finally {
    await program.stop()
  }
})
