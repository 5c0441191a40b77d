import { isIP } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from './errors.ts'

/** Whole numbers of decimal digits: `Number` would read `1e3`, and a blank as 0. */
const whole = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
  const isInRange = (text: string) => /^-?\d+$/.test(text) && Number(text) >= min && Number(text) <= max
  return z
    .string()
    .trim()
    .refine(isInRange, `must be a whole number ${range}`)
    .transform(Number)
    .default(fallback)
}
const choice = <const T extends readonly string[]>(...words: T) =>
  z.enum(words, `must be one of: ${words.join(', ')}`)
const flag = choice('true', 'false', '1', '0')
  .default('false')
  .transform((text) => text === 'true' || text === '1')
const list = (fallback = '') =>
  z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )

/** Words that a contact may answer with. They are compared in upper case. */
const words = (fallback: string) => list(fallback).transform((all) => all.map((word) => word.toUpperCase()))

/** `10.0.0.1`, `10.0.0.0/8`, `::1`. */
function isAddress(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const version = isIP(address)
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  return version > 0 && fits && more === undefined
}

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
  .optional()

/** Every setting of the environment, with its default. README.md explains them. */
const ENVIRONMENT = z.object({
  DATABASE_URL: postgresUrl,
  DATABASE_LISTEN_URL: postgresUrl,
  DATABASE_REPLICA_URL: postgresUrl,
  DATA_DIR: z.string().min(1).default('./data'),
  BACKUP_DIR: z.string().min(1).optional(),
  BACKUP_WARNING_DAYS: whole(7, 0, 36_500),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(8090, 0, 65535),
  // `sms.example.com:8090` would be a URL, too: one with the scheme `sms.example.com`
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://sms.example.com' })
    .optional(),
  TRUSTED_PROXIES: list().refine(
    (all) => all.every(isAddress),
    'must be addresses or subnets, with commas between',
  ),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  SMS_MONTHLY_QUOTA: whole(0),
  SMS_MAX_RECIPIENTS: whole(1000, 1, 100_000),
  DEVICE_ONLINE_SECONDS: whole(600, 1),
  STICKY_DAYS: whole(30, 0, 36_500),
  DEVICE_ALARM_MINUTES: whole(0, 0, 10_080),
  LEASE_SECONDS: whole(120, 1),
  WEBHOOK_ALLOW_PRIVATE: flag,
  WEBHOOK_LOG_DAYS: whole(30, 1, 36_500),
  VAPID_SUBJECT: z
    .url({ protocol: /^(mailto|https)$/, error: 'must be an address such as mailto:ann@example.com' })
    .default('mailto:admin@localhost'),
  DATABASE_POOL: whole(24, 1, 200),
  WORKERS: z
    .string()
    .trim()
    .regex(/^(auto|[1-9]\d{0,2})$/, 'must be auto or a whole number from 1 to 999')
    .transform((text) => (text === 'auto' ? text : Number(text)))
    .default(1),
  CLIENT_STATEMENT_SECONDS: whole(3, 1, 30),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  STOP_DELAY_SECONDS: whole(0, 0, 60),
  HSTS_DAYS: whole(365, 0, 36_500),
  MAX_CONNECTIONS: whole(10_000, 1),
  MAX_CONNECTIONS_PER_ADDRESS: whole(2_500),
  MAX_STREAMS: whole(2_000),
  SIGN_IN_TRIES: whole(20, 0, 10_000),
  AUDIT_DAYS: whole(365, 0, 36_500),
  SMS_RETENTION: choice('redact', 'delete').default('redact'),
  SMS_RETENTION_DAYS: whole(0, 0, 36_500),
  SMS_OPT_OUT_WORDS: words('STOP,STOPALL,UNSUBSCRIBE,CANCEL,END,QUIT'),
  SMS_OPT_IN_WORDS: words('START,YES,UNSTOP'),
})

/** The server's settings, read once from the environment and frozen. */
export interface Config {
  readonly databaseUrl: string | undefined
  /** Where to listen when `databaseUrl` is a pooler that does not pass on NOTIFY. */
  readonly databaseListenUrl: string | undefined
  /** A streaming replica of `databaseUrl`, for reads. */
  readonly databaseReplicaUrl: string | undefined
  readonly dataDir: string
  /** Where backups are kept unless the settings name an S3-compatible store. */
  readonly backupDir: string
  /** Superusers are warned when the last backup is older than that; 0: they are not. */
  readonly backupWarningDays: number
  readonly host: string
  readonly port: number
  /** Where clients reach the server, without a closing slash: PUBLIC_URL, else by the addresses of HOST. */
  readonly urls: readonly string[]
  /** The first of `urls`: it stands in links and pairing codes. */
  readonly publicUrl: string
  readonly trustedProxies: readonly string[]
  readonly logLevel: z.infer<typeof ENVIRONMENT>['LOG_LEVEL']
  readonly monthlyQuota: number
  readonly maxRecipients: number
  readonly deviceOnlineSeconds: number
  /** A number keeps the line that it last exchanged a text with for so long; 0: never. */
  readonly stickyDays: number
  /** Silence of a device after which its owner gets a mail; 0: no mails. */
  readonly deviceAlarmMinutes: number
  readonly leaseSeconds: number
  readonly webhookAllowPrivate: boolean
  /** How many days deliveries of webhooks are kept. */
  readonly webhookLogDays: number
  readonly vapidSubject: string
  readonly databasePool: number
  /** How many processes serve behind the port; `auto`: one for each core. */
  readonly workers: 'auto' | number
  /** Maximum run time of a statement with a filter, sort or expand of a client (no superuser). */
  readonly clientStatementSeconds: number
  /** Opens `/metrics`, beside superusers' tokens. */
  readonly metricsToken: string | undefined
  /** How long `/api/ready` says no, and all else goes on, before a server that was told to stop does so. */
  readonly stopDelaySeconds: number
  /** How many days browsers remember to use TLS only, if `publicUrl` is https; 0: they are not told to. */
  readonly hstsDays: number
  /** Open connections; any further one is closed at once. */
  readonly maxConnections: number
  /** The same for one address that is no trusted proxy. 0: any number. */
  readonly maxConnectionsPerAddress: number
  /** Event streams and waiting claims of one address, and of one account, on a server; 0: any number. */
  readonly maxStreams: number
  /** Wrong passwords of one address for one account in 10 minutes; other limits follow it. 0: no limits. */
  readonly signInTries: number
  /** How many days the record of what superusers did is kept; 0: for ever. */
  readonly auditDays: number
  /** What happens to finished messages after this many days; 0: nothing. */
  readonly retention: { readonly mode: 'redact' | 'delete'; readonly days: number }
  /** What a contact texts to get no more messages, and to get them again. */
  readonly optWords: { readonly out: readonly string[]; readonly in: readonly string[] }
}

/** Reads the environment; an empty variable is unset. Throws a UserError that names each fault. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = ENVIRONMENT.safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new UserError(`Wrong setting in the environment.\n  ${faults.join('\n  ')}`)
  }
  const e = parsed.data
  if (e.DATABASE_REPLICA_URL && !e.DATABASE_URL)
    throw new UserError(
      'DATABASE_REPLICA_URL needs DATABASE_URL: a replica of the embedded database is none.',
    )
  const urls = e.PUBLIC_URL ? [e.PUBLIC_URL.replace(/\/+$/, '')] : serverUrls(e.HOST, e.PORT)
  return Object.freeze({
    databaseUrl: e.DATABASE_URL,
    databaseListenUrl: e.DATABASE_LISTEN_URL,
    databaseReplicaUrl: e.DATABASE_REPLICA_URL,
    dataDir: e.DATA_DIR,
    backupDir: resolve(e.BACKUP_DIR ?? join(e.DATA_DIR, 'backups')),
    backupWarningDays: e.BACKUP_WARNING_DAYS,
    host: e.HOST,
    port: e.PORT,
    urls,
    publicUrl: urls[0]!,
    trustedProxies: e.TRUSTED_PROXIES,
    logLevel: e.LOG_LEVEL,
    monthlyQuota: e.SMS_MONTHLY_QUOTA,
    maxRecipients: e.SMS_MAX_RECIPIENTS,
    deviceOnlineSeconds: e.DEVICE_ONLINE_SECONDS,
    stickyDays: e.STICKY_DAYS,
    deviceAlarmMinutes: e.DEVICE_ALARM_MINUTES,
    leaseSeconds: e.LEASE_SECONDS,
    webhookAllowPrivate: e.WEBHOOK_ALLOW_PRIVATE,
    webhookLogDays: e.WEBHOOK_LOG_DAYS,
    vapidSubject: e.VAPID_SUBJECT,
    databasePool: e.DATABASE_POOL,
    workers: e.WORKERS,
    clientStatementSeconds: e.CLIENT_STATEMENT_SECONDS,
    metricsToken: e.METRICS_TOKEN,
    stopDelaySeconds: e.STOP_DELAY_SECONDS,
    hstsDays: e.HSTS_DAYS,
    maxConnections: e.MAX_CONNECTIONS,
    maxConnectionsPerAddress: e.MAX_CONNECTIONS_PER_ADDRESS,
    maxStreams: e.MAX_STREAMS,
    signInTries: e.SIGN_IN_TRIES,
    auditDays: e.AUDIT_DAYS,
    retention: { mode: e.SMS_RETENTION, days: e.SMS_RETENTION_DAYS },
    optWords: { out: e.SMS_OPT_OUT_WORDS, in: e.SMS_OPT_IN_WORDS },
  })
}

/** Bridges of containers and virtual machines, which no phone reaches. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet)/
/** Addresses that hold on one cable only. RFC 3927; RFC 4291, 2.5.6 */
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i

/** Addresses that other computers reach this one by, IPv4 first: those of its networks, without loopback. */
export function networkAddresses(
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): string[] {
  return Object.entries(interfaces)
    .filter(([name]) => !VIRTUAL.test(name))
    .flatMap(([, infos = []]) => infos)
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address)
}

/** Addresses of a server on `host`. `0.0.0.0` and `::` have one for each network, else loopback. */
export function serverUrls(host: string, port: number, addresses = networkAddresses()): string[] {
  const isAll = host === '0.0.0.0' || host === '::'
  const usable = addresses.filter((address) => host === '::' || !address.includes(':'))
  const hosts = !isAll ? [host] : usable.length > 0 ? usable : ['127.0.0.1']
  return hosts.map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

/** Whether an address means the computer that opens it. RFC 6761, 6.3; RFC 1122, 3.2.1.3 */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
