import { isIP } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from './errors.ts'

/** A whole number in decimal digits. `Number` alone would accept `1e3`, and read a blank as 0. */
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

/** A list of words that contacts may text, in upper case. */
const words = (fallback: string) => list(fallback).transform((all) => all.map((word) => word.toUpperCase()))

/** Whether a text is an address or a subnet: `10.0.0.1`, `10.0.0.0/8`, `::1`. */
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

const publicUrl = z.url({ protocol: /^https?$/, error: 'must be an address such as https://sms.example.com' })
const vapidSubject = z.url({
  protocol: /^(mailto|https)$/,
  error: 'must be an address such as mailto:ann@example.com',
})
const workers = z
  .string()
  .trim()
  .regex(/^(auto|[1-9]\d{0,2})$/, 'must be auto or a whole number from 1 to 999')
  .transform((text): 'auto' | number => (text === 'auto' ? text : Number(text)))

/** Every setting with its environment variable and its default. README.md explains each. */
const SETTINGS = {
  databaseUrl: ['DATABASE_URL', postgresUrl],
  databaseListenUrl: ['DATABASE_LISTEN_URL', postgresUrl],
  databaseReplicaUrl: ['DATABASE_REPLICA_URL', postgresUrl],
  dataDir: ['DATA_DIR', z.string().min(1).default('./data')],
  backupDir: ['BACKUP_DIR', z.string().min(1).optional()],
  backupWarningDays: ['BACKUP_WARNING_DAYS', whole(7, 0, 36_500)],
  host: ['HOST', z.string().min(1).default('127.0.0.1')],
  port: ['PORT', whole(8090, 0, 65535)],
  smtpPort: ['SMTP_PORT', whole(0, 0, 65535)],
  smtpTlsCert: ['SMTP_TLS_CERT', z.string().min(1).optional()],
  smtpTlsKey: ['SMTP_TLS_KEY', z.string().min(1).optional()],
  // http or https is required because `sms.example.com:8090` is a URL with the scheme `sms.example.com`
  publicUrl: ['PUBLIC_URL', publicUrl.optional()],
  trustedProxies: [
    'TRUSTED_PROXIES',
    list().refine((all) => all.every(isAddress), 'must be addresses or subnets, with commas between'),
  ],
  logLevel: [
    'LOG_LEVEL',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  ],
  monthlyQuota: ['SMS_MONTHLY_QUOTA', whole(0)],
  maxRecipients: ['SMS_MAX_RECIPIENTS', whole(1000, 1, 100_000)],
  deviceOnlineSeconds: ['DEVICE_ONLINE_SECONDS', whole(600, 1)],
  /** For how many days after the last text a conversation keeps its line (SIM). 0: not at all. */
  stickyDays: ['STICKY_DAYS', whole(30, 0, 36_500)],
  deviceAlarmMinutes: ['DEVICE_ALARM_MINUTES', whole(0, 0, 10_080)],
  leaseSeconds: ['LEASE_SECONDS', whole(120, 1, 86_400)],
  webhookAllowPrivate: ['WEBHOOK_ALLOW_PRIVATE', flag],
  webhookLogDays: ['WEBHOOK_LOG_DAYS', whole(30, 1, 36_500)],
  vapidSubject: ['VAPID_SUBJECT', vapidSubject.default('mailto:admin@localhost')],
  databasePool: ['DATABASE_POOL', whole(24, 1, 200)],
  workers: ['WORKERS', workers.default(1)],
  /** Time limit of statements with a client's filter, sort or expand. Superusers have a longer one. */
  clientStatementSeconds: ['CLIENT_STATEMENT_SECONDS', whole(3, 1, 30)],
  metricsToken: ['METRICS_TOKEN', z.string().min(16, 'must have at least 16 characters').optional()],
  stopDelaySeconds: ['STOP_DELAY_SECONDS', whole(0, 0, 60)],
  hstsDays: ['HSTS_DAYS', whole(365, 0, 36_500)],
  maxConnections: ['MAX_CONNECTIONS', whole(10_000, 1)],
  maxConnectionsPerAddress: ['MAX_CONNECTIONS_PER_ADDRESS', whole(2_500)],
  /** Maximum event streams and long-polling requests per address, and per account. 0: no limit. */
  maxStreams: ['MAX_STREAMS', whole(2_000)],
  /** Maximum wrong passwords for an account from an address in 10 minutes. 0: no limit. */
  signInTries: ['SIGN_IN_TRIES', whole(20, 0, 10_000)],
  auditDays: ['AUDIT_DAYS', whole(365, 0, 36_500)],
  retentionMode: ['SMS_RETENTION', choice('redact', 'delete').default('redact')],
  retentionDays: ['SMS_RETENTION_DAYS', whole(0, 0, 36_500)],
  optOutWords: ['SMS_OPT_OUT_WORDS', words('STOP,STOPALL,UNSUBSCRIBE,CANCEL,END,QUIT')],
  optInWords: ['SMS_OPT_IN_WORDS', words('START,YES,UNSTOP')],
  maxAttachments: ['SMS_MAX_ATTACHMENTS', whole(10, 0, 10)],
  maxAttachmentBytes: ['SMS_MAX_ATTACHMENT_BYTES', whole(5 << 20, 0, 10 << 20)],
  maxAccountFileBytes: ['MAX_ACCOUNT_FILE_BYTES', whole(1 << 30)],
} as const satisfies Readonly<Record<string, readonly [variable: string, schema: z.ZodType]>>

const ENVIRONMENT = z.object(Object.fromEntries<z.ZodType>(Object.values(SETTINGS)))

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

/** Reads the environment; an empty variable is unset. Throws a UserError that names each wrong setting. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = ENVIRONMENT.safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new UserError(`Wrong setting in the environment.\n  ${faults.join('\n  ')}`)
  }
  const read = Object.entries(SETTINGS).map(([name, [variable]]) => [name, parsed.data[variable]])
  const all = Object.fromEntries(read) as Settings
  const { retentionMode: mode, retentionDays: days, optOutWords, optInWords, ...settings } = all
  const { databaseUrl, databaseReplicaUrl, dataDir, backupDir, publicUrl: url, host, port } = settings
  if (databaseReplicaUrl && !databaseUrl)
    throw new UserError(
      'DATABASE_REPLICA_URL needs DATABASE_URL: a replica of the embedded database is none.',
    )
  if (!settings.smtpTlsCert !== !settings.smtpTlsKey)
    throw new UserError('SMTP_TLS_CERT and SMTP_TLS_KEY belong together: set both, or none.')
  const urls = url ? [url.replace(/\/+$/, '')] : serverUrls(host, port)
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
export function networkAddresses(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces()) {
  return Object.entries(interfaces)
    .filter(([name]) => !VIRTUAL.test(name))
    .flatMap(([, infos = []]) => infos)
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address)
}

/** URLs of a server on `host`: for `0.0.0.0` and `::` one per network address, or loopback's if none. */
export function serverUrls(host: string, port: number, addresses = networkAddresses()): string[] {
  const isAll = host === '0.0.0.0' || host === '::'
  const usable = addresses.filter((address) => host === '::' || !address.includes(':'))
  const hosts = !isAll ? [host] : usable.length > 0 ? usable : ['127.0.0.1']
  return hosts.map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

/** Whether a URL's host is the local computer. RFC 6761, 6.3; RFC 1122, 3.2.1.3 */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
