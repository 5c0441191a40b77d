import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { readConfig } from '../../src/platform/config.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'

// There may be no Docker where tests run: what can be said of the Compose files without it.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const NODES = ['server1', 'server2']
const TIME_LEFT_SECONDS = 5

interface Service {
  readonly image?: string
  readonly environment: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly networks?: { readonly default: { readonly ipv4_address: string } }
  readonly cap_add?: readonly string[]
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const compose = (file: string): Compose =>
  parse(readFileSync(join(HOME, file), 'utf8'), { merge: true })
const { services } = compose('deploy/compose-servers.yml')
const alone = compose('docker-compose.yml')

/** Compose's `${NAME:-default}` and `${NAME:+other}`, as with an empty .env. */
const filled = (text: string) =>
  text.replace(/\$\{\w+:\+[^}]*\}/g, '').replace(/\$\{\w+:-([^}]*)\}/g, '$1')

const environmentOf = (service: Service) =>
  Object.fromEntries(
    Object.entries(service.environment).map(([name, text]) => [name, filled(text)]),
  )

test('Compose runs two servers, Postgres and a proxy', () => {
  expect(Object.keys(services).sort()).toEqual(['postgres', 'proxy', ...NODES].sort())
})

test.each(NODES)('%s starts with its settings', (name) => {
  const service = services[name]!
  const config = readConfig(environmentOf(service))
  expect(config.databaseUrl).toMatch(/@postgres:5432\//)
  expect(config.trustedProxies).toEqual([services.proxy!.networks!.default.ipv4_address])
  const settings = readFileSync(join(HOME, 'docs/settings.md'), 'utf8')
  const pages = settings + readFileSync(join(HOME, 'docs/operations.md'), 'utf8')
  for (const setting of Object.keys(service.environment)) expect(pages).toContain(`\`${setting}\``)
})

test.each(NODES)('%s gets enough time to stop', (name) => {
  const service = services[name]!
  const { stopDelaySeconds } = readConfig(environmentOf(service))
  expect(stopDelaySeconds).toBeGreaterThan(1) // the proxy asks each second
  expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThanOrEqual(
    stopDelaySeconds + 10 + TIME_LEFT_SECONDS,
  )
})

test('the server nodes have the same definition', () => {
  expect(services.server1).toEqual(services.server2)
})

test('the proxy lists each node, and only its ports are published', () => {
  const { NODES: known } = services.proxy!.environment
  expect(known!.split(' ')).toEqual(NODES.map((name) => `${name}:8090`))
  const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0)
  expect(published.map(([name]) => name)).toEqual(['proxy'])
})

test('every mounted path exists', () => {
  for (const { services, volumes } of [alone, compose('deploy/compose-servers.yml')]) {
    const mounts = Object.values(services).flatMap(({ volumes: all = [] }) =>
      all.map((mount) => mount.split(':')[0]!),
    )
    for (const source of mounts) {
      if (source.startsWith('./'))
        expect([source, existsSync(join(HOME, source))]).toEqual([source, true])
      else expect(Object.keys(volumes)).toContain(source)
    }
  }
})

const all = [...Object.entries(alone.services), ...Object.entries(services)]

test.each(all)('%s writes to its volumes alone, and has no rights', (_, service) => {
  const security_opt = ['no-new-privileges:true']
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt })
  // Caddy's program has this capability in its file, and does not start without
  const rights = service.image === 'caddy:2' ? ['NET_BIND_SERVICE'] : undefined
  expect(service.cap_add).toEqual(rights)
})

test('on one machine the server keeps its own Postgres in a volume and trusts its proxy', () => {
  const { server, proxy } = alone.services
  const config = readConfig(environmentOf(server!))
  expect([config.databaseUrl, server!.volumes]).toEqual([undefined, ['pocketsms:/data']])
  expect(config.trustedProxies).toEqual([proxy!.networks!.default.ipv4_address])
  expect(proxy!.environment.NODES).toBe('server:8090')
})

test.each(['docker-compose.yml', 'deploy/compose-servers.yml', 'deploy/kubernetes.yaml'])(
  '%s names the image of this version',
  (file) => {
    const { version } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
    const images = readFileSync(join(HOME, file), 'utf8').match(/^ *image: pocketsms:.*$/gm)!
    expect(images.map((line) => line.split(':').pop())).toEqual([version])
  },
)

// There is no Kubernetes where tests run: what can be said of deploy/kubernetes.yaml without it.

const FILE = fileURLToPath(new URL('../../deploy/kubernetes.yaml', import.meta.url))
const documents = parseAllDocuments(readFileSync(FILE, 'utf8')).map((one) => one.toJS())

test('Kubernetes servers start with their settings and get enough time to stop', () => {
  const { spec } = documents.find(({ kind }) => kind === 'Deployment').spec.template
  const settings = (spec.containers[0].env as { name: string; value?: string }[]).map(
    ({ name, value }) => [name, value ?? 'postgres://secret'],
  )
  const { stopDelaySeconds, databaseUrl } = readConfig(Object.fromEntries(settings))
  expect(databaseUrl).toBe('postgres://secret')
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
    stopDelaySeconds + 10 + TIME_LEFT_SECONDS,
  )
})

test('the database secret has the name of its cluster', () => {
  const { name } = documents.find(({ kind }) => kind === 'Cluster').metadata
  expect(readFileSync(FILE, 'utf8')).toContain(`name: ${name}-app\n`)
})

const RULES = fileURLToPath(new URL('../../deploy/prometheus-rules.yml', import.meta.url))
const DASHBOARD = fileURLToPath(new URL('../../deploy/grafana.json', import.meta.url))
const TOKEN = 'a-token-for-prometheus'

/** Only there with the server's own Postgres, a replica, workers, or after a backup, a refusal, a fault. */
const SOMETIMES =
  /pocketsms_(disk_|replica_|worker_|backup_age|over_limits)|kind="alarm|"dead"|status=~"5/

const rules: { alert: string; expr: string }[] = parse(readFileSync(RULES, 'utf8')).groups[0].rules
const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8'))
const shown = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
)
/** An alert's comparison as one that is answered whether it holds or not. */
const answered = (expr: string) => expr.replace(/ (>|<|==) /g, ' $1 bool ')
const queries: string[] = [...rules.map(({ expr }) => answered(expr)), ...shown]

/** Prometheus with the alert rules, asking the server twice a second. Returns its address. */
async function startPrometheus(server: string): Promise<string> {
  const folder = temporaryFolder()
  const config = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: [RULES],
    scrape_configs: [
      {
        job_name: 'pocketsms',
        authorization: { credentials: TOKEN },
        static_configs: [{ targets: [new URL(server).host] }],
      },
    ],
  }
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config))
  execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], { stdio: 'pipe' })
  const address = `127.0.0.1:${await freePort()}`
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  const all = [...flags, `--web.listen-address=${address}`, '--log.level=warn']
  const running = await startProgram('prometheus', all, {}, `http://${address}`, '/-/ready')
  return running.url
}

test.runIf(runs('prometheus', '--version'))(
  'Prometheus evaluates each alert rule and dashboard panel',
  async () => {
    const gateway = await startServerWithDevices({ METRICS_TOKEN: TOKEN })
    const user = await gateway.makeUser()
    const send = { recipients: ['+4915112345678'], body: 'Hello' }
    expect((await user.call('POST', '/api/sms/send', send)).status).toBe(503)
    await gateway.pair(user)
    await must(user, 'POST', '/api/sms/send', send)
    await must(user, 'POST', '/api/campaigns', {
      ...send,
      scheduled_at: new Date(Date.now() + 3_600_000),
    })
    const prometheus = await startPrometheus(gateway.url)
    const ask = async (path: string) =>
      (await request(prometheus, 'GET', `/api/v1/${path}`)).body.data
    const unanswered = async () => {
      const results = queries.map(async (query) => {
        const { result } = await ask(`query?query=${encodeURIComponent(query)}`)
        return result.length === 0 && !SOMETIMES.test(query) ? [query] : []
      })
      return (await Promise.all(results)).flat()
    }
    await expect.poll(unanswered).toEqual([])
    const health = async () =>
      (await ask('rules')).groups[0].rules.map((rule: { health: string }) => rule.health)
    await expect.poll(health).toEqual(rules.map(() => 'ok'))
  },
)
