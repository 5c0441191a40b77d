import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { upsertSuperuser } from '../../src/engine/auth/superusers.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLogger } from '../../src/platform/log.ts'
import { TestListener } from '../engine/realtime/test-listener.ts'
import { runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { runs } from '../support/installed.ts'
import { type RunningProgram, serve, startProgram } from '../support/server/program.ts'
import {
  type Client,
  makeUser,
  openStream,
  pairDevice,
  signIn,
} from '../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../support/server/start.ts'

// deploy/compose-servers.yml by hand: Postgres, two nodes as processes, and a proxy with the file of
// deploy/.

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url))
const ADDRESS = '127.0.0.9'

interface Layout {
  readonly folder: string
  readonly port: number
  readonly nodes: readonly string[]
}

/** How each proxy is run. */
const PROXIES: Readonly<
  Record<string, { version: string[]; run: (layout: Layout) => Promise<RunningProgram> }>
> = {
  caddy: {
    version: ['version'],
    run: ({ folder, port, nodes }) => {
      const env = {
        SITE_ADDRESS: `http://127.0.0.1:${port}`,
        NODES: nodes.join(' '),
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      }
      const args = ['run', '--config', join(DEPLOY, 'Caddyfile'), '--adapter', 'caddyfile']
      return startProgram('caddy', args, env, `http://127.0.0.1:${port}`, '/api/health')
    },
  },
  haproxy: {
    version: ['-v'],
    run: ({ folder, port, nodes }) => {
      const [servers] = readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8').split('listen postgres')
      const file = servers!
        .replace('server1:8090', nodes[0]!)
        .replace('server2:8090', nodes[1]!)
        .replace('bind :8090', `bind 127.0.0.1:${port}`)
      writeFileSync(join(folder, 'haproxy.cfg'), file)
      const args = ['-db', '-f', join(folder, 'haproxy.cfg')]
      return startProgram('haproxy', args, {}, `http://127.0.0.1:${port}`, '/api/health')
    },
  },
  nginx: {
    version: ['-v'],
    run: ({ folder, port, nodes }) => {
      // the names of the file are those of deploy/compose-servers.yml
      const site = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
        .replace('server1:8090', nodes[0]!)
        .replace('server2:8090', nodes[1]!)
        .replace('listen 8090', `listen 127.0.0.1:${port}`)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')} ${site} }`
      writeFileSync(join(folder, 'nginx.conf'), main)
      const args = ['-c', join(folder, 'nginx.conf'), '-e', 'stderr']
      return startProgram('nginx', args, {}, `http://127.0.0.1:${port}`, '/api/health')
    },
  },
}

/** The nodes, before each proxy in turn. */
const nodes: RunningProgram[] = []
let env: Record<string, string>

const startNode = async (at: number, port: string) => {
  nodes[at] = await serve({ ...env, PORT: port })
}

beforeAll(async () => {
  const { databaseUrl } = await testConfig({}, 'prepared')
  env = {
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl!,
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: '127.0.0.1',
    STOP_DELAY_SECONDS: '3',
  }
  const first = await runServer(
    readConfig({ ...env, PORT: '0' }),
    createLogger({ logLevel: 'silent' }),
  )
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  void first.stop()
  for (const at of [0, 1]) await startNode(at, String(await freePort()))
}, 120_000)
afterAll(async () => {
  for (const node of nodes) await node.stop()
})

describe.each(Object.entries(PROXIES))('%s before two nodes', (name, { version, run }) => {
  describe.runIf(runs(name, ...version))('with the file of deploy/', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pocketsms-proxy-'))
    let proxy: RunningProgram
    let root: Client
    let user: Client

    const portOf = (at: number) => new URL(nodes[at]!.url).port

    beforeAll(async () => {
      for (const [at, node] of nodes.entries()) if (node.hasEnded()) await startNode(at, portOf(at))
      const hosts = nodes.map(({ url }) => new URL(url).host)
      proxy = await run({ folder, port: await freePort(), nodes: hosts })
      root = await signIn(proxy.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
      user = await makeUser(proxy.url, root)
    }, 120_000)
    afterAll(async () => {
      await proxy?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    let contacts = 0
    const addContact = (who: Client) => {
      const phone = `+49151${String(++contacts).padStart(8, '0')}`
      return who.call('POST', '/api/collections/contacts/records', {
        user: user.id,
        name: 'x',
        phone,
      })
    }

    test("nodes get the client's address and the request id that the client was given", async () => {
      const asking = request(`${proxy.url}/api/health`, {
        localAddress: ADDRESS,
        headers: { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'mine' },
      })
      const id = await new Promise<string>((resolve, reject) => {
        asking.on('response', (answer) => resolve(String(answer.resume().headers['x-request-id'])))
        asking.on('error', reject).end()
      })
      expect(id).not.toBe('mine')
      const log = () => nodes.map((node) => node.output()).join('')
      await expect.poll(log).toContain(id)
      const line = JSON.parse(
        log()
          .split('\n')
          .find((text) => text.includes(id))!,
      )
      expect(line).toMatchObject({ path: '/api/health', ip: ADDRESS })
    })

    test('/metrics is not reachable through the proxy', async () => {
      expect((await root.call('GET', '/metrics')).status).toBe(404)
    })

    test('streams arrive unbuffered from both nodes and end when the client disconnects', async () => {
      const ears = await Promise.all(
        Array.from({ length: 6 }, () => TestListener.on(proxy.url, user.token, 'contacts')),
      )
      const began = performance.now()
      await addContact(user)
      for (const ear of ears) expect(await ear.next(1)).toHaveLength(1)
      expect(performance.now() - began).toBeLessThan(2_000)
      for (const ear of ears) await ear.close()
      const open = async () => {
        let sum = 0
        for (const { url } of nodes) {
          const text = await (
            await fetch(`${url}/metrics`, { headers: { authorization: root.token } })
          ).text()
          sum += Number(/^pocketsms_realtime_clients (\d+)/m.exec(text)![1])
        }
        return sum
      }
      await expect.poll(open, { timeout: 5_000 }).toBe(0)
    })

    test('a device is woken by a send', async () => {
      const { token } = await pairDevice(proxy.url, user)
      const stream = await openStream(proxy.url, token)
      await user.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Hello' })
      await stream.next('wake', 3_000)
      await stream.close()
    })

    /** Reads and writes without a pause until `work` is done; answers that are no success. */
    async function under(work: () => Promise<unknown>): Promise<{ bad: string[]; good: number }> {
      let isOver = false
      let good = 0
      const bad: string[] = []
      const ask = async (what: string, call: () => Promise<{ status: number }>) => {
        while (!isOver) {
          const { status } = await call().catch((error) => ({
            status: String(error.cause ?? error),
          }))
          if (status === 200) good++
          else bad.push(`${what} ${status}`)
        }
      }
      const list = () => user.call('GET', '/api/collections/contacts/records?perPage=3')
      const asking = Promise.all([
        ask('GET', list),
        ask('GET', list),
        ask('POST', () => addContact(user)),
        ask('POST', () => addContact(user)),
      ])
      await work()
      isOver = true
      await asking
      return { bad, good }
    }

    /** The proxy finds out by itself, some seconds later, that a node is there again. */
    const untilAsked = (at: number) =>
      expect.poll(() => nodes[at]!.output()).toContain('"path":"/api/collections/contacts/records')

    test('restarting a node fails no request', { timeout: 90_000 }, async () => {
      const { bad, good } = await under(async () => {
        const port = portOf(0)
        await nodes[0]!.stop()
        await startNode(0, port)
        await untilAsked(0)
      })
      expect(bad).toEqual([])
      expect(good).toBeGreaterThan(50)
    })

    test('killing a node fails only the requests that it was handling', {
      timeout: 90_000,
    }, async () => {
      const { bad, good } = await under(async () => {
        const port = portOf(1)
        process.kill(nodes[1]!.pid, 'SIGKILL')
        await nodes[1]!.stop()
        await startNode(1, port)
        await untilAsked(1)
      })
      // HAProxy closes the connection where it had sent the request over one that was used before
      expect(bad.filter((what) => !/ 50[24]$|other side closed$/.test(what))).toEqual([])
      // one for each that asks
      expect(bad.length).toBeLessThanOrEqual(4)
      expect(good).toBeGreaterThan(50)
    })
  })
})
