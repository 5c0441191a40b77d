import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { readConfig } from '../../src/platform/config.ts'

// The platforms are not here: their files agree with docker-compose.yml and with each other.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const text = (file: string) => readFileSync(join(HOME, file), 'utf8')
const { version } = JSON.parse(text('package.json'))
const { server } = parse(text('docker-compose.yml')).services

type Settings = Readonly<Record<string, string>>
/** What a file starts: the image, the port and the folder in the container, and its settings as installed. */
interface Container {
  readonly image: string
  readonly port: string
  readonly folder: string
  readonly settings: Settings
}

/** `${NAME:-default}` of Compose, and the address that Coolify makes. */
const fill = (value: string) =>
  value
    .replaceAll('${SERVICE_URL_POCKETSMS}', 'https://sms.example.com')
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll(/\$\{\w+:\?\}/g, '')

function readCoolify(): Container {
  const { image, volumes, environment } = parse(text('deploy/coolify.yml')).services.pocketsms
  const [address, ...lines] = environment as string[]
  const pairs = lines.map((line) => line.split('=') as [string, string])
  const settings = Object.fromEntries(pairs.map(([name, value]) => [name, fill(value)]))
  const port = address!.replace('SERVICE_URL_POCKETSMS_', '')
  return { image, port, folder: volumes[0].split(':')[1], settings }
}

function readCaprover(): Container {
  const file = text('deploy/caprover.yml')
  const variables: { id: string; defaultValue: string }[] =
    parse(file).caproverOneClickApp.variables
  const known = [
    { id: '$$cap_appname', defaultValue: 'sms' },
    { id: '$$cap_root_domain', defaultValue: 'example.com' },
  ]
  const filled = [...variables, ...known].reduce(
    (all, { id, defaultValue }) => all.replaceAll(id, () => defaultValue),
    file,
  )
  const { image, volumes, environment, caproverExtra } = parse(filled).services.sms
  const [, folder] = volumes[0].split(':')
  return { image, port: caproverExtra.containerHttpPort, folder, settings: environment }
}

function readCasaos(): Container {
  const { image, ports, volumes, environment } = parse(text('deploy/casaos.yml')).services.pocketsms
  return { image, port: `${ports[0].target}`, folder: volumes[0].target, settings: environment }
}

function readUnraid(): Container {
  const file = text('deploy/unraid.xml')
  const configs = [...file.matchAll(/<Config ([^>]*)>([^<]*)<\/Config>/g)].map(
    ([, attributes, value]) => {
      const pairs = attributes!.matchAll(/(\w+)="([^"]*)"/g)
      const named: Settings = Object.fromEntries([...pairs].map(([, key, of]) => [key!, of!]))
      return { type: named.Type!, target: named.Target!, value: value! }
    },
  )
  const of = (type: string) => configs.filter((config) => config.type === type)
  return {
    image: /<Repository>(.*)<\/Repository>/.exec(file)![1]!,
    port: of('Port')[0]!.target,
    folder: of('Path')[0]!.target,
    settings: Object.fromEntries(of('Variable').map(({ target, value }) => [target, value])),
  }
}

function readHomeAssistant(): Container {
  const { ports, options, schema } = parse(text('deploy/home-assistant/config.yaml'))
  const unset = Object.fromEntries(Object.keys(schema).map((name) => [name, '']))
  return {
    image: /^FROM (.*)$/m.exec(text('deploy/home-assistant/Dockerfile'))![1]!,
    port: Object.keys(ports)[0]!.replace('/tcp', ''),
    folder: /chown -R node: (.*)/.exec(text('deploy/home-assistant/run.sh'))![1]!,
    settings: { ...unset, ...options },
  }
}

function readHelm(): Container {
  const { image, settings } = parse(text('deploy/helm/values.yaml'))
  const template = text('deploy/helm/templates/pocketsms.yaml')
  return {
    image,
    port: /containerPort: (.*)/.exec(template)![1]!,
    folder: /mountPath: (.*)/.exec(template)![1]!,
    settings: Object.fromEntries(Object.entries(settings).map(([name, of]) => [name, `${of}`])),
  }
}

const PLATFORMS: Readonly<Record<string, () => Container>> = {
  Coolify: readCoolify,
  CapRover: readCaprover,
  CasaOS: readCasaos,
  Unraid: readUnraid,
  'Home Assistant': readHomeAssistant,
  Helm: readHelm,
}

test.each(Object.entries(PLATFORMS))(
  '%s starts the image of this version with the port and the folder of docker-compose.yml',
  (_, read) => {
    const [publish, mount] = [server.ports[0] as string, server.volumes[0] as string]
    const { image, port, folder } = read()
    expect([image, port, folder]).toEqual([
      server.image,
      publish.split(':').pop(),
      mount.split(':').pop(),
    ])
  },
)

test.each(Object.entries(PLATFORMS))(
  'the server starts with the settings of %s, which docker-compose.yml has, too',
  (_, read) => {
    const { settings } = read()
    expect(Object.keys(server.environment)).toEqual(
      expect.arrayContaining(Object.keys(settings).sort()),
    )
    expect(readConfig(settings).publicUrl).toBe(settings.PUBLIC_URL)
  },
)

test.each(Object.entries(PLATFORMS))('%s trusts no network by itself', (_, read) => {
  expect(read().settings.TRUSTED_PROXIES).toBe('')
})

test.each([
  ['deploy/coolify.yml', 'TRUSTED_PROXIES=${TRUSTED_PROXIES:?}'],
  ['deploy/caprover.yml', "defaultValue: ''\n      validRegex: /^[\\d.:a-f/,]+$/"],
  [
    'deploy/helm/templates/pocketsms.yaml',
    '(hasPrefix "https:" (toString .Values.settings.PUBLIC_URL)) (not .Values.settings.TRUSTED_PROXIES) }}\n{{- fail ',
  ],
])('%s, which means a proxy, asks for its addresses', (file, line) => {
  expect(text(file)).toContain(line)
})

test.each(['deploy/helm/templates/pocketsms.yaml', 'deploy/kubernetes.yaml'])(
  '%s sets no variables of other services',
  (file) => {
    const lines = text(file).split('\n')
    expect(lines.filter((line) => line.trim() === 'enableServiceLinks: false')).toHaveLength(1)
  },
)

test('the Helm chart writes each value that may be a number without an exponent', () => {
  const lines = text('deploy/helm/templates/pocketsms.yaml').split('\n')
  const values = lines.filter(
    (line) => /\{\{[^}]*(\.Values|\$value)/.test(line) && !/if |range/.test(line),
  )
  expect(values.length).toBe(3)
  for (const line of values)
    expect(line).toMatch(/include "pocketsms\.text" |\.Values\.image \| quote/)
})

test('the script for Home Assistant passes on each option of the app', () => {
  const script = text('deploy/home-assistant/run.sh')
  const names = Object.keys(parse(text('deploy/home-assistant/config.yaml')).schema)
  expect([...script.matchAll(/^(\w+)=\$\(option \1\)$/gm)].map(([, name]) => name)).toEqual(names)
  expect(script).toContain(`export ${names.join(' ')}\n`)
})

test.each([
  ['deploy/caprover.yml', 'defaultValue'],
  ['deploy/casaos.yml', 'version'],
  ['deploy/home-assistant/config.yaml', 'version'],
  ['deploy/helm/Chart.yaml', 'version'],
])('%s names this version, which a release replaces', (file, key) => {
  expect(text(file)).toMatch(new RegExp(`\\b${key}: ${version.replaceAll('.', '\\.')}\n`))
  expect(text('package/release.ts')).toContain(`'${file}'`)
})
