import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { isCallSigned } from '../../src/programs/agent/drivers/http/check-call-signature.ts'
import type { Signature } from '../../src/programs/agent/drivers/http/preset.ts'
import { blocksOf } from '../docs/page.ts'
import { runs } from '../support/installed.ts'
import { EXAMPLES } from './example.ts'

// With an empty key everybody can sign: a program without a secret ends at its start, and no call verifies.

const SECRETS = ['', ' ', undefined]
const FORGED = (() => {
  const at = Math.floor(Date.now() / 1_000)
  const mac = createHmac('sha256', '').update(`msg_1.${at}.{}`).digest('base64')
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${mac}`,
  }
})()
const ENV = {
  ...process.env,
  POCKETSMS_URL: 'http://127.0.0.1:1',
  POCKETSMS_KEY: 'psk_1',
  PORT: '0',
}
const run = (program: string, args: string[], env: NodeJS.ProcessEnv = ENV) =>
  spawnSync(program, args, { env, encoding: 'utf8', timeout: 20_000 })

test.each(SECRETS)('the web shop ends at its start if the secret is %j', (secret) => {
  const env = { ...ENV, ...(secret !== undefined && { WEBHOOK_SECRET: secret }) }
  const { status, stderr } = run(process.execPath, [join(EXAMPLES, 'web-shop/shop.js')], env)
  expect([status, /WEBHOOK_SECRET/.test(stderr)]).toEqual([1, true])
})

describe.skipIf(!runs('python3', '--version'))('in Python', () => {
  const file = join(EXAMPLES, 'python/send_and_verify.py')

  test.each(SECRETS)('the example ends at its start if the secret is %j', (secret) => {
    const env = { ...ENV, ...(secret !== undefined && { WEBHOOK_SECRET: secret }) }
    const { status, stderr } = run('python3', [file], env)
    expect([status, stderr.trim()]).toEqual([1, 'WEBHOOK_SECRET is not set'])
  })

  const [page] = blocksOf('docs/webhooks.md').filter(({ text }) => text.includes('def verify('))
  const load = `import sys; sys.path.insert(0, ${JSON.stringify(join(EXAMPLES, 'python'))})`
  test.each([
    ['the example', `${load}\nfrom send_and_verify import verify`],
    ['the page', page!.text],
  ])('no call verifies with an empty secret by %s', (_, code) => {
    const check = `print([verify(s, ${JSON.stringify(FORGED)}, b"{}") for s in ("", "whsec_")])`
    const env = { ...ENV, WEBHOOK_SECRET: 'whsec_AAAA' }
    expect(run('python3', ['-c', `${code}\n${check}`], env).stdout.trim()).toBe('[False, False]')
  })
})

test.each(['', 'whsec_'])('no call of a carrier verifies with the secret %j', (secret) => {
  const signature: Signature = {
    kind: 'hmac',
    header: 'webhook-signature',
    of: ['header:webhook-id', '.', 'header:webhook-timestamp', '.', 'body'],
    hash: 'sha256',
    encoding: 'base64',
    key: 'whsec',
  }
  const call = {
    method: 'POST',
    url: 'http://127.0.0.1/',
    headers: FORGED,
    body: Buffer.from('{}'),
  }
  expect(isCallSigned(signature, call, secret)).toBe(false)
})
