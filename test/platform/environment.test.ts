import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from 'citty'
import { readConfig } from '../../src/platform/config.ts'
import { findPrograms } from '../../src/platform/db/embedded/find-programs.ts'
import { SETTINGS } from '../../src/platform/environment-settings.ts'
import { makeStateFile } from '../../src/programs/agent/agent-state.ts'
import { readCarrierSettings as readCarrier } from '../../src/programs/agent/drivers/http/carrier-account.ts'
import { readSmppSettings as readSmpp } from '../../src/programs/agent/drivers/smpp/smpp-settings.ts'
import { sendCommand } from '../../src/programs/bulk/bulk-command.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { startReceiver } from '../support/services/receiver.ts'

const PROGRAMS = findPrograms(temporaryFolder()).bin
/** Variables of programs that readers write themselves. */
const OF_READERS = ['WEBHOOK_SECRET']
const server = await startReceiver()
server.answer(401, '{}')

/** For each variable of the server a value, and the part of the configuration that it decides. */
const OF_SERVER: Readonly<
  Record<string, readonly [value: string, config: object, more?: NodeJS.ProcessEnv]>
> = {
  DATABASE_URL: ['postgres://a.example/sms', { databaseUrl: 'postgres://a.example/sms' }],
  DATABASE_LISTEN_URL: [
    'postgres://b.example/sms',
    { databaseListenUrl: 'postgres://b.example/sms' },
  ],
  DATABASE_REPLICA_URL: [
    'postgres://c.example/sms',
    { databaseReplicaUrl: 'postgres://c.example/sms' },
    { DATABASE_URL: 'postgres://a.example/sms' },
  ],
  DATA_DIR: ['/srv/sms', { dataDir: '/srv/sms', backupDir: '/srv/sms/backups' }],
  BACKUP_DIR: ['/srv/backups', { backupDir: '/srv/backups' }],
  BACKUP_RECIPIENTS: [
    'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
    {
      backupRecipients: ['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'],
    },
  ],
  BACKUP_WARNING_DAYS: ['3', { backupWarningDays: 3 }],
  HOST: ['::1', { host: '::1', publicUrl: 'http://[::1]:8090' }],
  PORT: ['8091', { port: 8091, publicUrl: 'http://127.0.0.1:8091' }],
  SMTP_PORT: ['2525', { smtpPort: 2525 }],
  SMTP_TLS_CERT: ['/cert.pem', { smtpTlsCert: '/cert.pem' }, { SMTP_TLS_KEY: '/key.pem' }],
  SMTP_TLS_KEY: ['/key.pem', { smtpTlsKey: '/key.pem' }, { SMTP_TLS_CERT: '/cert.pem' }],
  PUBLIC_URL: [
    'https://sms.example',
    { publicUrl: 'https://sms.example', urls: ['https://sms.example'] },
  ],
  TRUSTED_PROXIES: ['10.0.0.0/8', { trustedProxies: ['10.0.0.0/8'] }],
  LOG_LEVEL: ['warn', { logLevel: 'warn' }],
  SMS_MONTHLY_QUOTA: ['9', { monthlyQuota: 9 }],
  SMS_MAX_RECIPIENTS: ['9', { maxRecipients: 9 }],
  DEVICE_ONLINE_SECONDS: ['9', { deviceOnlineSeconds: 9 }],
  STICKY_DAYS: ['9', { stickyDays: 9 }],
  DEVICE_ALARM_MINUTES: ['9', { deviceAlarmMinutes: 9 }],
  LEASE_SECONDS: ['9', { leaseSeconds: 9 }],
  WEBHOOK_ALLOW_PRIVATE: ['true', { webhookAllowPrivate: true }],
  HTTPS_PROXY: ['http://proxy.example:3128', { httpsProxy: 'http://proxy.example:3128' }],
  NO_PROXY: ['a.example, 10.0.0.0/8', { noProxy: ['a.example', '10.0.0.0/8'] }],
  PROXY_NAMES: ['b.example', { proxyNames: ['b.example'] }],
  WEBHOOK_LOG_DAYS: ['9', { webhookLogDays: 9 }],
  VAPID_SUBJECT: ['mailto:ann@example.com', { vapidSubject: 'mailto:ann@example.com' }],
  DATABASE_POOL: ['9', { databasePool: 9 }],
  WORKERS: ['3', { workers: 3 }],
  CLIENT_STATEMENT_SECONDS: ['9', { clientStatementSeconds: 9 }],
  METRICS_TOKEN: ['0123456789abcdef', { metricsToken: '0123456789abcdef' }],
  STOP_DELAY_SECONDS: ['9', { stopDelaySeconds: 9 }],
  HSTS_DAYS: ['9', { hstsDays: 9 }],
  MAX_CONNECTIONS: ['9', { maxConnections: 9 }],
  MAX_CONNECTIONS_PER_ADDRESS: ['9', { maxConnectionsPerAddress: 9 }],
  MAX_STREAMS: ['9', { maxStreams: 9 }],
  SIGN_IN_TRIES: ['9', { signInTries: 9 }],
  SUPERUSER_SECOND_FACTOR: ['true', { superuserSecondFactor: true }],
  AUDIT_DAYS: ['9', { auditDays: 9 }],
  SMS_RETENTION: ['delete', { retention: { mode: 'delete', days: 0 } }],
  SMS_RETENTION_DAYS: ['9', { retention: { mode: 'redact', days: 9 } }],
  SMS_OPT_OUT_WORDS: ['raus', { optWords: { out: ['RAUS'] } }],
  SMS_OPT_IN_WORDS: ['rein', { optWords: { in: ['REIN'] } }],
  SMS_MAX_ATTACHMENTS: ['9', { maxAttachments: 9 }],
  SMS_MAX_ATTACHMENT_BYTES: ['9', { maxAttachmentBytes: 9 }],
  SMS_MMS_MAX_BYTES: ['2000', { mmsMaxBytes: 2_000 }],
  MAX_ACCOUNT_FILE_BYTES: ['9', { maxAccountFileBytes: 9 }],
}

const settingsFile = (settings: object) => {
  const file = join(temporaryFolder(), 'settings.json')
  writeFileSync(file, JSON.stringify(settings))
  return file
}
const readTwilio = () => readCarrier(settingsFile({ preset: 'twilio' }), process.env).carrier

/** Runs `pocketsms send`, and returns the request that the server got. */
async function sendFile(option: string) {
  const csv = join(temporaryFolder(), 'texts.csv')
  writeFileSync(csv, 'phone\n+4915112345678\n')
  const rawArgs = [csv, '--template=t1', option]
  await expect(runCommand(sendCommand, { rawArgs })).rejects.toThrow('answered 401')
  return server.told.at(-1)
}

/** For each variable of other programs a value, and what decides by it. */
const OF_PROGRAMS: Readonly<
  Record<string, readonly [value: string, read: () => unknown, decided: object]>
> = {
  CARRIER_SECRET: ['sesame', readTwilio, { secret: 'sesame', webhook_secret: '' }],
  CARRIER_WEBHOOK_SECRET: ['open', readTwilio, { secret: '', webhook_secret: 'open' }],
  SMPP_PASSWORD: [
    'sesame',
    () =>
      readSmpp(
        settingsFile({ host: 'smsc.example', system_id: 'acme', senders: ['+4930123'] }),
        process.env,
      ),
    { password: 'sesame' },
  ],
  XDG_STATE_HOME: [
    '/srv',
    () => ({ file: makeStateFile('d1') }),
    { file: '/srv/pocketsms/agent-d1.json' },
  ],
  POSTGRES_BIN: [join(PROGRAMS, '.'), () => findPrograms(temporaryFolder()), { bin: PROGRAMS }],
  POCKETSMS_URL: [server.url, () => sendFile('--key=psk_1'), { path: '/api/campaigns' }],
  POCKETSMS_KEY: [
    'psk_2',
    () => sendFile(`--url=${server.url}`),
    { headers: { 'x-api-key': 'psk_2' } },
  ],
}

afterEach(() => vi.unstubAllEnvs())

test.each(Object.entries(OF_SERVER))(
  'the variable %s changes the configuration',
  (name, [value, config, more]) => {
    expect(readConfig({ ...more, [name]: value })).toMatchObject(config)
  },
)

test.each(Object.entries(OF_PROGRAMS))(
  'the variable %s has its effect',
  async (name, [value, read, decided]) => {
    vi.stubEnv(name, value)
    expect(await read()).toMatchObject(decided)
  },
)

test('every variable of the server has a row, and something reads its setting', () => {
  expect(Object.keys(OF_SERVER)).toEqual(Object.values(SETTINGS).map(([variable]) => variable))
  const combined: Readonly<Record<string, string>> = {
    retentionMode: 'retention',
    retentionDays: 'retention',
    optOutWords: 'optWords',
    optInWords: 'optWords',
  }
  const code = globSync('src/**/*.ts')
    .filter((file) => !/(config|environment-settings)\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const names = Object.keys(SETTINGS).map((name) => combined[name] ?? name)
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
})

test('every variable that a page tells readers to set for a program has a row', () => {
  const pages = globSync('docs/*.md').map((file) => readFileSync(file, 'utf8'))
  const named = pages.flatMap((page) => [
    ...page.matchAll(/environment variable `([A-Z_]+)`|export ([A-Z_]+)=/g),
  ])
  const known = [...Object.keys(OF_SERVER), ...Object.keys(OF_PROGRAMS), ...OF_READERS]
  expect(
    named.map(([, one, other]) => one ?? other).filter((name) => !known.includes(name!)),
  ).toEqual([])
})
