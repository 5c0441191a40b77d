import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as plain, type RequestOptions } from 'node:http'
import { request as secure } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocksOf } from '../docs/page.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { type RunningProgram, startProgram } from '../support/server/program.ts'
import { makeUser, must, startServerWithDevices } from '../support/server/server-with-devices.ts'

// A key that is bound to addresses, used through proxies with the files that our pages give.

const HAPROXY_FILE = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url))
const HOST = 'sms.example.com'
/** The proxies connect from 127.0.0.1. Clients have other addresses of the loopback network, and ::1. */
const INSIDE = '127.0.113.7'
const OUTSIDE = '127.0.114.7'
const NETWORK = '127.0.113.0/24'

const server = await startServerWithDevices({ TRUSTED_PROXIES: '127.0.0.1' })
const user = await makeUser(server.url, server.superuser)
await server.pair(user)
const { key, id } = await must(user, 'POST', '/api/collections/api_keys/records', {
  user: user.id,
  name: 'Shop',
})
const folder = temporaryFolder()
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const upstream = new URL(server.url).host

/** A block of docs/deploy.md, for our server instead of the one at 127.0.0.1:8090. */
const readBlock = (language: string) =>
  blocksOf('docs/deploy.md')
    .find((block) => block.language === language)!
    .text.replaceAll('127.0.0.1:8090', upstream)

/** Its ports: of the site, and of an answer that says that the proxy runs. */
interface Ports {
  readonly site: number
  readonly ready: number
}
interface Proxy {
  readonly version: readonly string[]
  readonly hasTls: boolean
  readonly start: (ports: Ports) => Promise<RunningProgram>
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    version: ['-v'],
    hasTls: true,
    start({ site, ready }) {
      const names = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
      const made = [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-subj',
        `/CN=${HOST}`,
        ...names,
      ]
      execFileSync('openssl', made, { stdio: 'ignore' })
      const block = readBlock('nginx')
        .replaceAll('443', String(site))
        .replace(/\/etc\/\S+fullchain\.pem/, join(folder, 'cert.pem'))
        .replace(/\/etc\/\S+privkey\.pem/, join(folder, 'key.pem'))
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const other = `server { listen 127.0.0.1:${ready}; return 200; }`
      const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')} ${other} ${block} }`
      const args = ['-c', write('nginx.conf', main), '-e', 'stderr']
      return startProgram('nginx', args, {}, `http://127.0.0.1:${ready}`, '/')
    },
  },
  caddy: {
    version: ['version'],
    hasTls: true,
    start({ site, ready }) {
      const options = `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n\thttps_port ${site}\n}\n`
      const other = `http://127.0.0.1:${ready} {\n\trespond 200\n}\n`
      const file = write('Caddyfile', options + other + readBlock('caddyfile'))
      const args = ['run', '--config', file, '--adapter', 'caddyfile']
      const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      return startProgram('caddy', args, env, `http://127.0.0.1:${ready}`, '/')
    },
  },
  haproxy: {
    version: ['-v'],
    hasTls: false,
    start({ site }) {
      const [servers] = readFileSync(HAPROXY_FILE, 'utf8').split('listen postgres')
      const file = servers!
        .replace('server1:8090', upstream)
        .replace(/.*server2:8090/, '')
        .replace('bind :8090', `bind :::${site} v4v6`)
      const args = ['-db', '-f', write('haproxy.cfg', file)]
      return startProgram('haproxy', args, {}, `http://127.0.0.1:${site}`, '/api/ready')
    },
  },
}

type Headers = Readonly<Record<string, string | string[]>>

/** A request with the key from an address of the loopback networks; the status of the answer. */
function askFrom(
  { port, hasTls }: { port: number; hasTls: boolean },
  localAddress: string,
  headers: Headers,
): Promise<number> {
  const options: RequestOptions = {
    port,
    path: '/api/sms/usage',
    host: localAddress.includes(':') ? '::1' : '127.0.0.1',
    localAddress,
    agent: false,
    headers: { host: HOST, 'x-api-key': key, ...headers },
  }
  const asking = hasTls
    ? secure({ ...options, servername: HOST, rejectUnauthorized: false })
    : plain(options)
  return new Promise((resolve, reject) => {
    asking.on('response', (answer) => resolve(answer.resume().statusCode!))
    asking.on('error', reject).end()
  })
}

const forward = (...values: string[]) => ({ 'x-forwarded-for': values })

/** Headers that claim an address inside. */
const FORGED: readonly Headers[] = [
  forward(INSIDE),
  forward(`${INSIDE}, ${INSIDE}`),
  forward(INSIDE, INSIDE),
  forward(`${INSIDE}, 127.0.0.1`),
  forward(`${INSIDE}:4711,`),
  forward(`::ffff:${INSIDE}`),
  forward(`unknown, ${INSIDE}`),
  { x_forwarded_for: INSIDE, forwarded: `for=${INSIDE}`, 'x-real-ip': INSIDE },
  { 'true-client-ip': INSIDE, 'cf-connecting-ip': INSIDE, 'x-client-ip': INSIDE },
  { connection: 'X-Forwarded-For', ...forward(INSIDE) },
]

const bind = (addresses: string) =>
  must(user, 'PATCH', `/api/collections/api_keys/records/${id}`, { addresses })

/** Fails with the headers of the requests whose status is not the expected one. */
async function expectStatus(
  site: { port: number; hasTls: boolean },
  address: string,
  status: number,
  all: readonly Headers[] = [{}, ...FORGED],
): Promise<void> {
  const others = []
  for (const headers of all) {
    const answered = await askFrom(site, address, headers)
    if (answered !== status) others.push({ headers, answered })
  }
  expect(others).toEqual([])
}

test('without a proxy the headers of a client do not count', async () => {
  await bind(NETWORK)
  const site = { port: Number(new URL(server.url).port), hasTls: false }
  await expectStatus(site, INSIDE, 200)
  await expectStatus(site, OUTSIDE, 403)
})

describe.each(Object.entries(PROXIES))('through %s', (name, { version, hasTls, start }) => {
  describe.runIf(runs(name, ...version))('with the file of our pages', () => {
    let proxy: RunningProgram
    let site: { port: number; hasTls: boolean }
    beforeAll(async () => {
      const ports = { site: await freePort(), ready: await freePort() }
      site = { port: ports.site, hasTls }
      proxy = await start(ports)
    })
    afterAll(() => proxy?.stop())

    test('a key for an IPv4 network is accepted inside, with any forged header', async () => {
      await bind(NETWORK)
      await expectStatus(site, INSIDE, 200, [{}, ...FORGED, forward(OUTSIDE), forward('::1')])
    })

    test('a key for an IPv4 network is refused outside, by IPv4 and IPv6, with forged headers', async () => {
      await bind(NETWORK)
      await expectStatus(site, OUTSIDE, 403)
      await expectStatus(site, '::1', 403)
    })

    test('a key for an IPv6 network is accepted inside and refused outside', async () => {
      await bind('::/127')
      await expectStatus(site, '::1', 200)
      await expectStatus(site, INSIDE, 403, [{}, forward('::1'), forward('[::1]:4711')])
    })

    test('a key for an IPv4-mapped network is accepted by IPv4 inside only', async () => {
      await bind(`::ffff:${NETWORK.replace('/24', '/120')}`)
      await expectStatus(site, INSIDE, 200)
      await expectStatus(site, OUTSIDE, 403)
    })
  })
})
