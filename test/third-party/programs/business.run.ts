import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenLocally } from '../../support/services/listen.ts'
import { FROM, startProgramFixture, TO, testOf } from './fixture.ts'
import { hasDebian } from './packages.ts'

// Frameworks in which people write programs of their own, with the settings and classes of their pages.

const run = promisify(execFile)
const fixture = await startProgramFixture()
const { ann, at, block, fill, forget, gateway, key, sent, write } = fixture
const file = (name: string) => join(import.meta.dirname, name)
beforeEach(forget)

/** An https server before ours, as people have. Returns its host with the port. */
async function startHttps(): Promise<string> {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', at('key.pem'), '-out', at('cert.pem')]
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'ignore' })
  const tls = { key: readFileSync(at('key.pem')), cert: readFileSync(at('cert.pem')) }
  const server = createServer(tls, (req, res) => {
    const { method, headers, url = '' } = req
    const passed = request(new URL(url, gateway.url), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  })
  return `localhost:${(await listenLocally(server)).port}`
}

testOf('Symfony Notifier', hasDebian('symfony'))(
  'Symfony Notifier sends by the DSN of the page, and from no name',
  async () => {
    const host = await startHttps()
    const [, dsn] = block('programs/symfony', 'TWILIO_DSN', {
      ACCOUNT_SID: ann.sid,
      AUTH_TOKEN: ann.token,
      'sms.example.com': host,
      '4915550000001': FROM.slice(1),
    })
      .trim()
      .split(/^TWILIO_DSN=/m)
    const send = async (by: string, text: string) => {
      const trust = [
        '-d',
        `curl.cainfo=${at('cert.pem')}`,
        '-d',
        `openssl.cafile=${at('cert.pem')}`,
      ]
      return (await run('php', [...trust, file('symfony.php'), by, TO, text])).stdout
    }
    expect(await send(dsn!, 'Order 7 is paid')).toMatch(/^SM[0-9a-f]{32}$/)
    expect(await sent()).toEqual([`${TO} Order 7 is paid`])
    expect(await send(dsn!.replace(/from=.*/, 'from=SHOP'), 'Order 8 is paid')).toContain('21212')
    expect(await sent()).toHaveLength(1)
  },
)

testOf('Laravel', hasDebian('laravel'))(
  'Laravel sends a notification by the channel of the page, once if its job runs again',
  async () => {
    const channel = write(
      'SmsChannel.php',
      `<?php\n${fill(block('programs/laravel', 'SmsChannel'))}`,
    )
    await run('php', [file('laravel.php'), channel, key, TO, 'Order 7 is paid'])
    expect(await sent()).toEqual([`${TO} Order 7 is paid`])
  },
)
