import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'

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
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const compose = (file: string): Compose => parse(readFileSync(join(HOME, file), 'utf8'), { merge: true })
const { services } = compose('deploy/compose-servers.yml')
const alone = compose('docker-compose.yml')

/** Compose's `${NAME:-default}` and `${NAME:+other}`, as with an empty .env. */
const filled = (text: string) => text.replace(/\$\{\w+:\+[^}]*\}/g, '').replace(/\$\{\w+:-([^}]*)\}/g, '$1')

const environmentOf = (service: Service) =>
  Object.fromEntries(Object.entries(service.environment).map(([name, text]) => [name, filled(text)]))

test('what runs', () => {
  expect(Object.keys(services).sort()).toEqual(['postgres', 'proxy', ...NODES].sort())
})

test.each(NODES)('%s starts with these settings', (name) => {
  const service = services[name]!
  const config = readConfig(environmentOf(service))
  expect(config.databaseUrl).toMatch(/@postgres:5432\//)
  expect(config.trustedProxies).toEqual([services.proxy!.networks!.default.ipv4_address])
  const readme = readFileSync(join(HOME, 'README.md'), 'utf8')
  const pages = readme + readFileSync(join(HOME, 'docs/operations.md'), 'utf8')
  for (const setting of Object.keys(service.environment)) expect(pages).toContain(`\`${setting}\``)
})

test.each(NODES)('%s is given the time that it takes to stop', (name) => {
  const service = services[name]!
  const { stopDelaySeconds } = readConfig(environmentOf(service))
  expect(stopDelaySeconds).toBeGreaterThan(1) // the proxy asks each second
  expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThanOrEqual(
    stopDelaySeconds + 10 + TIME_LEFT_SECONDS,
  )
})

test('nodes differ in their names only', () => {
  expect(services.server1).toEqual(services.server2)
})

test('the proxy knows each node by its name, and only it is published', () => {
  const { NODES: known } = services.proxy!.environment
  expect(known!.split(' ')).toEqual(NODES.map((name) => `${name}:8090`))
  const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0)
  expect(published.map(([name]) => name)).toEqual(['proxy'])
})

test('what is mounted is there', () => {
  for (const { services, volumes } of [alone, compose('deploy/compose-servers.yml')]) {
    const mounts = Object.values(services).flatMap(({ volumes: all = [] }) =>
      all.map((mount) => mount.split(':')[0]!),
    )
    for (const source of mounts) {
      if (source.startsWith('./')) expect([source, existsSync(join(HOME, source))]).toEqual([source, true])
      else expect(Object.keys(volumes)).toContain(source)
    }
  }
})

test('one machine: a server with its own Postgres in a volume, and a proxy that it believes', () => {
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
    const images = readFileSync(join(HOME, file), 'utf8').match(/^ *image: .*\/pocketsms:.*$/gm)!
    expect(images.map((line) => line.split(':').pop())).toEqual([version])
  },
)
