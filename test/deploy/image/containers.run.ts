import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request as secureRequest } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { lastRelease } from '../../support/server/other-version.ts'
import { request } from '../../support/server/request.ts'
import { until } from '../../support/until.ts'
import { CLONE, Composed, HEALTHY_MS, holds, IMAGE, podman } from './podman.ts'

// The README says `docker compose up -d`: here it is done, with podman. Each test goes on where the one
// before it stopped.

const SITE = 'http://127.0.0.1:8090'
const ROOT = { identity: 'root@example.com', password: 'a-long-password' }
const OWN_MB = 150
const STOP_SECONDS = 10

const readCompose = (file: string) =>
  parse(readFileSync(join(CLONE, file), 'utf8'), { merge: true })
const inImage = (image: string, command: string) =>
  podman('run', '--rm', '--entrypoint', 'sh', image, '-c', command)
const inspect = (image: string, format: string) => podman('image', 'inspect', '-f', format, image)
const layersOf = (image: string) => inspect(image, '{{len .RootFS.Layers}}')
const megabytesOf = (image: string) => Number(inspect(image, '{{.Size}}')) / 1e6

const ready = () =>
  until(
    `${SITE} to be ready`,
    () =>
      request(SITE, 'GET', '/api/ready').then(
        ({ status }) => status === 200,
        () => false,
      ),
    HEALTHY_MS,
  )

/** The first process of a container as this machine sees it; 0 where none runs. */
const pidOf = (name: string) => Number(podman('inspect', '-f', '{{.State.Pid}}', name))

/** The token of the superuser. */
async function signIn(): Promise<string> {
  const path = '/api/collections/_superusers/auth-with-password'
  const { body, status } = await request(SITE, 'POST', path, ROOT)
  expect([status, body.message]).toEqual([200, undefined])
  return body.token
}

async function makeNote(name: string): Promise<void> {
  const headers = { authorization: await signIn() }
  const fields = [{ name: 'text', type: 'text' }]
  const path = '/api/collections'
  const made = await request(SITE, 'POST', path, { name, type: 'base', fields }, headers)
  expect(made.status).toBe(200)
  const record = await request(SITE, 'POST', `${path}/${name}/records`, { text: 'kept' }, headers)
  expect(record.status).toBe(200)
}

async function readNote(name: string): Promise<string> {
  const headers = { authorization: await signIn() }
  const { body } = await request(
    SITE,
    'GET',
    `/api/collections/${name}/records`,
    undefined,
    headers,
  )
  return body.items?.[0]?.text ?? body.message
}

/** That a service runs without rights, and writes to nothing but its volumes and folders in memory. */
function checkConfinement(composed: Composed, service: string, capabilities = '0000000000000000') {
  const processes = composed.processes(service)
  expect(processes.length).toBeGreaterThan(0)
  for (const { Name, CapEff, CapPrm, CapBnd, NoNewPrivs } of processes) {
    const rights = [CapEff, CapPrm, CapBnd].filter((set) => set !== '0000000000000000')
    expect([Name, rights.filter((set) => set !== capabilities), NoNewPrivs]).toEqual([
      Name,
      [],
      '1',
    ])
  }
  for (const place of ['/', '/usr/local/bin', '/etc', '/var/lib'])
    expect([place, composed.does(service, `touch ${place}/x`)]).toEqual([place, false])
  expect(composed.does(service, 'touch /tmp/x')).toBe(true)
}

describe('the image', () => {
  test('adds few megabytes and layers to its base', () => {
    expect(megabytesOf(IMAGE) - megabytesOf('node:24-slim')).toBeLessThan(OWN_MB)
    expect(Number(layersOf(IMAGE)) - Number(layersOf('node:24-slim'))).toBeLessThanOrEqual(3)
  })

  test('has no compiler, no tests, no sources and no cache of packages', () => {
    const names = 'gcc cc g++ c++ clang make ld as python3 go git'
    const found = inImage(IMAGE, `for name in ${names}; do command -v $name; done; true`)
    expect(found).toBe('')
    const home = '/usr/local/lib/node_modules/pocketsms'
    const files = `find ${home} -maxdepth 1 -printf '%f\\n'`
    const there = inImage(IMAGE, files).split('\n')
    expect(there).toEqual(expect.arrayContaining(['bin', 'dist', 'console', 'sql', 'package.json']))
    expect(there.filter((name) => /^(test|src|bench|docs|coverage|\.git.*)$/.test(name))).toEqual(
      [],
    )
    const own = `find ${home} -path ${home}/node_modules -prune -o -name '*.test.*' -print`
    const kept = 'ls -d /root/.npm /home/node/.npm /clone /*.tgz 2>/dev/null; true'
    expect([inImage(IMAGE, own), inImage(IMAGE, kept)]).toEqual(['', ''])
  })

  test('lets its user write to data and temporary folders alone', () => {
    const writable = inImage(
      IMAGE,
      'id -un; find / -xdev -writable ! -type l ! -type c 2>/dev/null; true',
    )
    const elsewhere = /^\/(proc|sys|dev|tmp|var\/tmp|run\/lock|home\/node|data)/
    expect(writable.split('\n').filter((line) => !elsewhere.test(line))).toEqual(['node'])
  })
})

describe('docker-compose.yml', () => {
  const file = readCompose('docker-compose.yml')
  const composed = new Composed('single', file, { PUBLIC_URL: SITE, PROFILE: '' })
  const name = composed.container('server')
  afterAll(() => {
    composed.remove()
    podman('volume', 'rm', '--force', composed.volume('pocketsms'))
  })

  test('a volume of the last release is upgraded by a start of this one', async () => {
    const release = lastRelease()
    onTestFinished(() => release.remove())
    const folder = release.home.replace(/\/node_modules\/pocketsms$/, '')
    chmodSync(folder, 0o755)
    const packages = join(CLONE, 'node_modules')
    const mounts = [`${folder}:/release:ro`, `${packages}:${packages}:ro`].flatMap((one) => [
      '-v',
      one,
    ])
    const volume = ['-v', `${composed.volume('pocketsms')}:/data`]
    const program = `${release.home.replace(folder, '/release')}/bin/pocketsms.js`
    const old = [...mounts, ...volume, '-p', '127.0.0.1:8090:8090', '--entrypoint', 'node']
    podman('run', '-d', '--init', '--name', 'release', ...old, IMAGE, program, 'serve')
    await ready()
    podman('exec', 'release', 'node', program, 'superuser', 'upsert', ROOT.identity, ROOT.password)
    await makeNote('before')
    podman('rm', '--force', '--time', '30', 'release')
    composed.start()
    await composed.healthy('server')
    await ready()
    expect(await readNote('before')).toBe('kept')
  })

  test('the server runs as its user, without rights, and writes to its volume only', () => {
    checkConfinement(composed, 'server')
    expect(composed.does('server', 'touch /data/x && rm /data/x')).toBe(true)
    expect(composed.processes('server').map(({ Uid }) => Uid!.split('\t')[0])).not.toContain('0')
  })

  test('the health check fails at a port without a server', () => {
    const [, ...check] = JSON.parse(inspect(IMAGE, '{{json .HealthCheck.Test}}'))
    expect(holds('exec', name, ...check)).toBe(true)
    expect(holds('exec', '-e', 'PORT=1', name, ...check)).toBe(false)
  })

  test('exec makes a superuser, who signs in', async () => {
    podman('exec', name, 'pocketsms', 'superuser', 'upsert', ROOT.identity, ROOT.password)
    await makeNote('after')
  })

  test('SIGTERM ends the server and its Postgres within ten seconds', async () => {
    const pid = pidOf(name)
    podman('kill', '--signal', 'TERM', name)
    await until('its end', () => !existsSync(`/proc/${pid}`), STOP_SECONDS * 1_000)
    // podman may have started another by the restart policy before it is asked
    await until('podman to notice', () => pidOf(name) !== pid && holds('start', name))
    expect(podman('logs', name)).toMatch(/SIGTERM: finishing/)
    await composed.healthy('server')
    expect(await readNote('after')).toBe('kept')
  })

  test('a killed server starts again by itself with all data', async () => {
    const pid = pidOf(name)
    // 0 would be this process
    expect(pid).toBeGreaterThan(1)
    process.kill(pid, 'SIGKILL')
    await until('another process', () => ![0, pid].includes(pidOf(name)))
    await composed.healthy('server')
    expect(await readNote('after')).toBe('kept')
  })

  test('a new container continues with the volume', async () => {
    composed.remove()
    composed.start()
    await composed.healthy('server')
    await ready()
    expect([await readNote('before'), await readNote('after')]).toEqual(['kept', 'kept'])
  })

  test('with the profile tls, Caddy serves the site with a certificate, and passes on the address of the client', async () => {
    const site = new Composed('single', file, { PROFILE: 'tls', SITE_ADDRESS: 'localhost' })
    composed.remove()
    site.start()
    onTestFinished(() => {
      site.remove()
      podman('volume', 'rm', '--force', site.volume('caddy'))
    })
    await site.healthy('server')
    const authority = '/data/caddy/pki/authorities/local/root.crt'
    await until('its authority', () => site.does('proxy', `test -s ${authority}`))
    const ca = site.exec('proxy', 'cat', authority)
    const token = await signIn()
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: token }
      const asked = secureRequest(
        'https://localhost/api/health',
        { ca, headers },
        async (response) => {
          let text = ''
          for await (const piece of response) text += piece
          resolve(text)
        },
      )
      asked.on('error', reject).end()
    })
    // the address of this machine in their network, not Caddy's
    expect(JSON.parse(answer).data.realIP).toMatch(/^(172\.31\.78\.1|127\.0\.0\.1|::1)$/)
    checkConfinement(site, 'proxy', '0000000000000400')
  })
})

describe('deploy/compose-servers.yml', () => {
  const file = readCompose('deploy/compose-servers.yml')
  const env = { POSTGRES_PASSWORD: 'a-password-of-postgres', PUBLIC_URL: SITE }
  const composed = new Composed('servers', file, env)
  const NODES = ['server1', 'server2']
  const psql = (sql: string) =>
    composed.exec('postgres', 'psql', '-U', 'postgres', '-d', 'pocketsms', '-Atc', sql)
  afterAll(() => {
    composed.remove()
    for (const name of ['postgres', 'caddy', 'data'])
      podman('volume', 'rm', '--force', composed.volume(name))
  })

  /** Asks all the time until `act` has ended. Returns the number of requests and what did not answer 200. */
  async function askDuring(act: () => Promise<void>) {
    let isOver = false
    let asked = 0
    const failed: unknown[] = []
    const asking = (async () => {
      for (; !isOver; await sleep(50)) {
        asked++
        const answer = await request(SITE, 'GET', '/api/health').catch((error: Error) => error)
        if (answer instanceof Error || answer.status !== 200) failed.push(answer)
      }
    })()
    await act()
    isOver = true
    await asking
    return { asked, failed }
  }

  test('all services get healthy, and the site answers', async () => {
    composed.start()
    for (const service of ['postgres', ...NODES]) await composed.healthy(service)
    await ready()
    composed.exec('server1', 'pocketsms', 'superuser', 'upsert', ROOT.identity, ROOT.password)
    await makeNote('first')
  })

  test.each([
    ['server1', '0000000000000000'],
    ['server2', '0000000000000000'],
    ['postgres', '0000000000000000'],
    // its program asks for ports below 1024
    ['proxy', '0000000000000400'],
  ])('%s runs without rights, and writes to nothing but its volumes', (service, capabilities) => {
    checkConfinement(composed, service, capabilities)
  })

  test('the role of the servers is no superuser of Postgres, and creates no roles', () => {
    expect(psql("select rolsuper or rolcreaterole from pg_roles where rolname = 'pocketsms'")).toBe(
      'f',
    )
  })

  test('each server stops and starts while the others answer each request', async () => {
    for (const node of NODES) {
      const { asked, failed } = await askDuring(async () => {
        podman('stop', composed.container(node))
        podman('start', composed.container(node))
        await composed.healthy(node)
        await sleep(3_000)
      })
      expect([node, failed]).toEqual([node, []])
      expect(asked).toBeGreaterThan(20)
    }
  })

  test('the servers continue after a stop and a kill of Postgres', async () => {
    for (const signal of ['INT', 'KILL']) {
      const name = composed.container('postgres')
      const pid = pidOf(name)
      podman('kill', '--signal', signal, name)
      // by its restart policy, where podman has seen its end
      await until('another process', () => holds('start', name) && ![0, pid].includes(pidOf(name)))
      await composed.healthy('postgres')
      for (const node of NODES) await composed.healthy(node)
      await ready()
      expect([signal, await readNote('first')]).toEqual([signal, 'kept'])
    }
  })

  test('new containers continue with the volumes', async () => {
    composed.remove()
    composed.start()
    for (const service of ['postgres', ...NODES]) await composed.healthy(service)
    await ready()
    expect(await readNote('first')).toBe('kept')
  })

  test('HAProxy with its file takes the place of Caddy', async () => {
    composed.remove()
    const { environment: _, volumes: __, cap_add: ___, ...proxy } = file.services.proxy
    const [servers] = readFileSync(join(CLONE, 'deploy/haproxy.cfg'), 'utf8').split(
      '\nlisten postgres',
    )
    const config = join(temporaryFolder(), 'haproxy.cfg')
    writeFileSync(config, `${servers}\n`, { mode: 0o644 })
    const volumes = [`${config}:/usr/local/etc/haproxy/haproxy.cfg:ro`]
    const instead = { ...proxy, image: 'haproxy:3.0', volumes }
    const site = new Composed(
      'servers',
      { ...file, services: { ...file.services, proxy: instead } },
      env,
    )
    site.start()
    for (const service of ['postgres', ...NODES]) await site.healthy(service)
    await ready()
    checkConfinement(site, 'proxy')
    expect(await readNote('first')).toBe('kept')
    expect((await request(SITE, 'GET', '/metrics')).status).toBe(404)
  })
})
