import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from './api-errors.ts'
import { SETTINGS } from './environment-settings.ts'

/** Variables that other programs read in lower case, too. As with curl, that form counts first. */
const ALSO_IN_LOWER_CASE = ['HTTPS_PROXY', 'NO_PROXY']

type Settings = { readonly [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K][1]> }
type Combined = 'retentionMode' | 'retentionDays' | 'optOutWords' | 'optInWords'

/** The server's settings, read once from the environment and frozen. */
export interface Config extends Omit<Settings, Combined | 'publicUrl' | 'backupDir'> {
  /** Where backups are kept unless the settings name an S3-compatible store. */
  readonly backupDir: string
  /** URLs where clients reach the server, without trailing slash: PUBLIC_URL if set, else those of HOST. */
  readonly urls: readonly string[]
  readonly publicUrl: string
  readonly retention: { readonly mode: Settings['retentionMode']; readonly days: number }
  readonly optWords: { readonly out: readonly string[]; readonly in: readonly string[] }
}

type Definitions = Readonly<Record<string, readonly [variable: string, z.ZodType, meaning: string]>>

/** A value that Kubernetes and Docker set for a service of another name: `SMTP_PORT=tcp://10.0.0.9:25`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\/[^/]+:\d+$/

const isServiceLink = (variable: string, value = ''): boolean =>
  variable.endsWith('_PORT') && SERVICE_LINK.test(value)

/** Variables of settings that a platform has set for another program. `readConfig` ignores them. */
export const listServiceLinks = (env: NodeJS.ProcessEnv): string[] =>
  Object.values(SETTINGS)
    .map(([variable]) => variable)
    .filter((variable) => isServiceLink(variable, env[variable]))

function readSettings(definitions: Definitions, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' && !isServiceLink(name, value)),
  )
  for (const name of ALSO_IN_LOWER_CASE) given[name] = given[name.toLowerCase()] ?? given[name]
  const schemas = Object.values(definitions).map(
    ([variable, schema]) => [variable, schema] as const,
  )
  const parsed = z.object(Object.fromEntries(schemas)).safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new UserError(`Wrong setting in the environment.\n  ${faults.join('\n  ')}`)
  }
  const read = Object.entries(definitions).map(([name, [variable]]) => [
    name,
    parsed.data[variable],
  ])
  return Object.fromEntries(read)
}

/** The settings of a program without a database. Throws a UserError, as `readConfig`. */
export function readProxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  const { httpsProxy, noProxy, proxyNames } = SETTINGS
  return readSettings({ httpsProxy, noProxy, proxyNames }, env) as unknown as ProxySettings
}

export type ProxySettings = Pick<Config, 'httpsProxy' | 'noProxy' | 'proxyNames'>

/** Reads the environment; an empty variable is unset. Throws a UserError that names each wrong setting. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const all = readSettings(SETTINGS, env) as Settings
  const { retentionMode: mode, retentionDays: days, optOutWords, optInWords, ...settings } = all
  const {
    databaseUrl,
    databaseReplicaUrl,
    dataDir,
    backupDir,
    publicUrl: url,
    host,
    port,
  } = settings
  if (databaseReplicaUrl && !databaseUrl)
    throw new UserError(
      'DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no replicas.',
    )
  if (!settings.smtpTlsCert !== !settings.smtpTlsKey)
    throw new UserError('SMTP_TLS_CERT and SMTP_TLS_KEY belong together: set both, or none.')
  const urls = url ? [url.replace(/\/+$/, '')] : listServerUrls(host, port)
  return Object.freeze({
    ...settings,
    backupDir: resolve(backupDir ?? join(dataDir, 'backups')),
    urls,
    publicUrl: urls[0]!,
    retention: { mode, days },
    optWords: { out: optOutWords, in: optInWords },
  })
}

/** Network interfaces of containers and virtual machines, which no phone reaches. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet)/
/** Link-local addresses: other networks cannot reach them. RFC 3927; RFC 4291, 2.5.6 */
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i

/** Addresses at which other computers reach this one, IPv4 first. */
export function listNetworkAddresses(
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
) {
  return Object.entries(interfaces)
    .filter(([name]) => !VIRTUAL.test(name))
    .flatMap(([, infos = []]) => infos)
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address)
}

/** URLs of a server on `host`: for `0.0.0.0` and `::` one per network address, or loopback's if none. */
export function listServerUrls(
  host: string,
  port: number,
  addresses = listNetworkAddresses(),
): string[] {
  const isAll = host === '0.0.0.0' || host === '::'
  const usable = addresses.filter((address) => host === '::' || !address.includes(':'))
  const hosts = !isAll ? [host] : usable.length > 0 ? usable : ['127.0.0.1']
  return hosts.map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

/** Whether a URL's host is the local computer. RFC 6761, 6.3; RFC 1122, 3.2.1.3 */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
