import { execFileSync } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sendMail } from '../../../src/engine/auth/send-mail.ts'
import { openS3Storage } from '../../../src/engine/backup/s3-storage.ts'
import type { Settings } from '../../../src/engine/settings/settings-shape.ts'
import { readProxySettings } from '../../../src/platform/config.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { useProxy, usesProxy } from '../../../src/platform/outgoing/proxy.ts'
import { sendOutgoing } from '../../../src/platform/outgoing/send-request.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { startConnectProxy } from '../../support/services/connect-proxy.ts'
import { listenLocally } from '../../support/services/listen.ts'
import { startMailServer } from '../../support/services/mail-server.ts'
import { startNameServer } from '../../support/services/name-server.ts'
import { stopLater } from '../../support/stops.ts'

const NAMES = ['hook.example', 'listed.example', 's3.listed.example', 'mail.listed.example']
const PUBLIC = '93.184.216.34'

const folder = temporaryFolder()
const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => join(folder, name))
const altNames = `subjectAltName=${NAMES.map((name) => `DNS:${name}`)}`
const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const files = ['-keyout', keyFile!, '-out', certFile!, '-days', '1', '-subj', '/CN=proxied']
execFileSync('openssl', [...made, ...files, '-addext', altNames], { stdio: 'ignore' })
const [key, cert] = [keyFile, certFile].map((file) => readFileSync(file!, 'utf8'))
const trusted = getCACertificates('default')
setDefaultCACertificates([...trusted, cert!])
stopLater(() => setDefaultCACertificates(trusted))

/** Stored objects by path: a server of hooks and of S3 alike. */
const stored = new Map<string, string>()
const https = createServer({ key, cert }, async (request, response) => {
  const { pathname } = new URL(request.url!, 'https://it')
  if (request.method === 'PUT') stored.set(pathname, await text(request))
  response.end(request.method === 'GET' ? stored.get(pathname) : `for ${request.headers.host}`)
})
await listenLocally(https)
const mails = await startMailServer()
const mailPort = createTcpServer()
Object.assign(mailPort, { address: () => ({ port: mails.port }) })

const proxy = await startConnectProxy({ 443: https, 25: mailPort }, 'ann:p@ss')
const HTTPS_PROXY = `http://ann:p%40ss@127.0.0.1:${proxy.port}`
beforeEach(() => {
  proxy.asked.length = 0
  useProxy(readProxySettings({ HTTPS_PROXY, PROXY_NAMES: 'listed.example' }))
})
stopLater(() => useProxy(readProxySettings({})))

const names = await startNameServer()
stopLater(() => names.stop())
names.answer('hook.example', [PUBLIC])
names.answer('inside.example', ['10.0.0.5'])
const resolve = new Resolver({ tries: 1 })
resolve.setServers([`127.0.0.1:${names.port}`])

const post = (host: string, mayRepeat = false) =>
  sendOutgoing(
    { url: `https://${host}/`, method: 'POST', headers: {}, body: '{}' },
    { allowPrivate: false, maxBodyBytes: 100, mayRepeat, resolve },
  ).then(
    ({ body }) => body.toString(),
    (error: Error & { isUnsent?: boolean }) => error.message,
  )

describe('a request by the proxy', () => {
  test.each([
    ['is made to the checked address', 'hook.example', 'for hook.example', [`${PUBLIC}:443`]],
    ['is refused for a private address', 'inside.example', 'inside.example is not an', []],
    ['is refused for an unknown name', 'unknown.example', 'ENOTFOUND unknown.example', []],
    ['is made to a listed name', 'listed.example', 'for listed.example', ['listed.example:443']],
    ['is refused at other ports', `${PUBLIC}:99`, 'The proxy answered 403', [`${PUBLIC}:99`]],
  ])('a request by the proxy %s', async (_, host, outcome, asked) => {
    expect(await post(host)).toContain(outcome)
    expect(proxy.asked).toEqual(asked)
  })

  test('the certificate is checked for the name of the host', async () => {
    expect(await post(PUBLIC)).toMatch(/does not match certificate|altnames/)
  })

  test('a kept connection is used again', async () => {
    const both = [await post('hook.example', true), await post('hook.example', true)]
    expect(both).toEqual(['for hook.example', 'for hook.example'])
    expect(proxy.asked).toHaveLength(1)
  })

  test('wrong credentials and a missing proxy fail before the request is sent', async () => {
    useProxy(readProxySettings({ https_proxy: `http://127.0.0.1:${proxy.port}`, HTTPS_PROXY }))
    expect(await post('hook.example')).toContain('The proxy answered 407')
    useProxy(readProxySettings({ HTTPS_PROXY: 'http://127.0.0.1:9' }))
    expect(await post('hook.example')).toContain('ECONNREFUSED')
  })
})

test('a mail is sent by the proxy', async () => {
  const smtp = { enabled: true, host: 'mail.listed.example', port: 25, tls: false }
  const meta = { senderName: 'Shop', senderAddress: 'shop@example.com' }
  const services = {
    settings: { current: { smtp, meta } as Settings },
    log: createLogger({ logLevel: 'silent' }),
  }
  await sendMail(services, { to: 'ann@example.com', subject: 'Hello', html: '<p>Hi</p>' })
  expect(mails.mails).toMatchObject([{ to: 'ann@example.com', subject: 'Hello', text: 'Hi\n' }])
  expect(proxy.asked).toEqual(['mail.listed.example:25'])
})

test('a backup is written to an S3 store, and read from it, by the proxy', async () => {
  const storage = openS3Storage({
    enabled: true,
    bucket: 'backups',
    region: 'eu',
    endpoint: 'https://s3.listed.example',
    accessKey: 'key',
    secret: 'secret',
    forcePathStyle: true,
  })
  const file = join(folder, 'backup.zip')
  writeFileSync(file, 'content')
  await storage.put(file, 'a.zip')
  expect(stored.get('/backups/a.zip')).toBe('content')
  const pieces = await Array.fromAsync(storage.read('a.zip', 0, 7))
  expect(Buffer.concat(pieces).toString()).toBe('content')
  expect(new Set(proxy.asked)).toEqual(new Set(['s3.listed.example:443']))
})

test.each([
  ['', 'hook.example', 443, true],
  ['*', 'hook.example', 443, false],
  ['hook.example', 'HOOK.example', 443, false],
  ['example', 'hook.example', 443, false],
  ['.hook.example', 'hook.example', 443, false],
  ['*.hook.example', 'a.hook.example', 443, false],
  ['ook.example', 'hook.example', 443, true],
  ['hook.example:8443', 'hook.example', 443, true],
  ['hook.example:8443', 'hook.example', 8443, false],
  ['10.0.0.0/8, 2001:db8::/32', '10.1.2.3', 443, false],
  ['10.0.0.0/8, 2001:db8::/32', '2001:db8::1', 443, false],
  ['10.0.0.0/8', '11.1.2.3', 443, true],
  ['10.1.2.3:443', '10.1.2.3', 443, false],
  ['', 'localhost', 443, false],
  ['', '127.0.0.1', 443, false],
])('with NO_PROXY=%s, a call to %s at port %i uses the proxy: %s', (no_proxy, host, port, used) => {
  useProxy(readProxySettings({ HTTPS_PROXY, NO_PROXY: 'other.example', no_proxy }))
  expect(usesProxy(host, port)).toBe(used)
})
