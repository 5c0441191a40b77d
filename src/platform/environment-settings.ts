import { z } from 'zod'
import {
  flagSetting,
  isAddress,
  isRecipient,
  makeChoiceSetting,
  makeListSetting,
  makeWhole,
  makeWholeSetting,
  makeWordsSetting,
  postgresUrl,
  proxyUrl,
  publicUrl,
  vapidSubject,
  workers,
} from './environment-readers.ts'

/** Every setting: its environment variable, its values and default, and its meaning, for docs/settings.md. */
export const SETTINGS = {
  databaseUrl: [
    'DATABASE_URL',
    postgresUrl,
    'The Postgres to use: `postgres://…`, version 15 or later, with [a role](deploy.md#the-database-role) that owns the database. The server tries [several hosts](scaling.md#several-hosts) in order. Unset: the server runs [its own Postgres](deploy.md#where-your-data-is) in `DATA_DIR`.',
  ],
  databaseListenUrl: [
    'DATABASE_LISTEN_URL',
    postgresUrl,
    'The address for `NOTIFY` and for building indexes. Set it if `DATABASE_URL` is [a pooler in transaction mode](scaling.md#pgbouncer).',
  ],
  databaseReplicaUrl: [
    'DATABASE_REPLICA_URL',
    postgresUrl,
    'A streaming replica of the database. The server reads [lists, single records and exports](scaling.md#read-replicas) from it while it is up to date.',
  ],
  dataDir: [
    'DATA_DIR',
    z.string().min(1).default('./data'),
    "The folder of the server's own Postgres.",
  ],
  backupDir: [
    'BACKUP_DIR',
    z.string().min(1).optional(),
    'The folder for [backups](deploy.md#backups-in-the-console) that the server makes, unless they go to S3. Unset: `DATA_DIR/backups`.',
  ],
  backupRecipients: [
    'BACKUP_RECIPIENTS',
    makeListSetting().refine(
      (all) => all.every(isRecipient),
      'must be public keys of age (age1…), with commas between',
    ),
    'Public keys of [age](https://age-encryption.org), separated by commas. The server and `pocketsms backup` [seal backups](deploy.md#sealed-backups) to them. Unset: backups are not sealed.',
  ],
  backupWarningDays: [
    'BACKUP_WARNING_DAYS',
    makeWholeSetting(7, 0, 36_500),
    'The server warns superusers when its last backup is older than this many days. Set 0 if `pocketsms backup` or `pg_dump` makes your backups.',
  ],
  host: [
    'HOST',
    z.string().min(1).default('127.0.0.1'),
    'The address that the server listens on. Set `0.0.0.0` so that [phones in your network](first-phone.md) reach it.',
  ],
  port: ['PORT', makeWholeSetting(8090, 0, 65535), 'The port that the server listens on.'],
  smtpPort: [
    'SMTP_PORT',
    makeWholeSetting(0, 0, 65535),
    'The port for [mails that become texts](recipes/mail.md). 0: no mail server.',
  ],
  smtpTlsCert: [
    'SMTP_TLS_CERT',
    z.string().min(1).optional(),
    'A certificate file in PEM, for STARTTLS on `SMTP_PORT`.',
  ],
  smtpTlsKey: [
    'SMTP_TLS_KEY',
    z.string().min(1).optional(),
    'The key file of `SMTP_TLS_CERT`, in PEM.',
  ],
  // http or https is required because `sms.example.com:8090` is a URL with the scheme `sms.example.com`
  publicUrl: [
    'PUBLIC_URL',
    publicUrl.optional(),
    "The address that clients and devices use. It appears in links and pairing codes, and [passkeys](access.md#passkeys) are valid only at its host. Unset: `http://HOST:PORT`; with `HOST=0.0.0.0` the computer's address in the network.",
  ],
  trustedProxies: [
    'TRUSTED_PROXIES',
    makeListSetting().refine(
      (all) => all.every(isAddress),
      'must be addresses or subnets, with commas between',
    ),
    'Addresses or subnets of your reverse proxies, separated by commas. The server trusts `X-Forwarded-For` only from these.',
  ],
  logLevel: [
    'LOG_LEVEL',
    makeChoiceSetting('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  ],
  monthlyQuota: [
    'SMS_MONTHLY_QUOTA',
    makeWholeSetting(0),
    'Messages per user and month. 0: unlimited.',
  ],
  maxRecipients: [
    'SMS_MAX_RECIPIENTS',
    makeWholeSetting(1000, 1, 100_000),
    'Recipients per request.',
  ],
  deviceOnlineSeconds: [
    'DEVICE_ONLINE_SECONDS',
    makeWholeSetting(600, 1),
    'A device counts as online for this long after it last contacted the server.',
  ],
  stickyDays: [
    'STICKY_DAYS',
    makeWholeSetting(30, 0, 36_500),
    'A conversation keeps its [line](lines.md) for this many days after its last text. 0: never.',
  ],
  deviceAlarmMinutes: [
    'DEVICE_ALARM_MINUTES',
    makeWholeSetting(0, 0, 10_080),
    'Owners [get a mail](agent.md#when-a-device-goes-silent) when their device has been silent for this long. 0: no mails.',
  ],
  leaseSeconds: [
    'LEASE_SECONDS',
    makeWholeSetting(120, 1, 86_400),
    'The time that a device has to send the messages that it fetched. At most a day.',
  ],
  webhookAllowPrivate: [
    'WEBHOOK_ALLOW_PRIVATE',
    flagSetting,
    'Allows webhooks, pushes and [carriers](carriers.md) at private addresses and by plain http. The demo allows them if only its own computer reaches it.',
  ],
  httpsProxy: [
    'HTTPS_PROXY',
    proxyUrl.optional(),
    'The [proxy](deploy.md#a-proxy-for-outgoing-calls) for outgoing calls by https and for mails: `http://…` or `https://…`, also with a user name and password. `https_proxy` counts first.',
  ],
  noProxy: [
    'NO_PROXY',
    makeListSetting(),
    'Hosts to which the server connects directly, separated by commas: names with their subdomains, addresses, networks, or `*`. `no_proxy` counts first.',
  ],
  proxyNames: [
    'PROXY_NAMES',
    makeListSetting(),
    'Hosts whose names the server does not look up, because only the proxy can, in the form of `NO_PROXY`.',
  ],
  webhookLogDays: [
    'WEBHOOK_LOG_DAYS',
    makeWholeSetting(30, 1, 36_500),
    'The server keeps webhook deliveries and the bodies of hooks for this many days.',
  ],
  vapidSubject: [
    'VAPID_SUBJECT',
    vapidSubject.default('mailto:admin@localhost'),
    'Your address for operators of push services. Set it to a mailbox that you read.',
  ],
  databasePool: [
    'DATABASE_POOL',
    makeWhole(2, 200).optional(),
    'Connections to Postgres. At least 2. Unset: one for 64 MB of memory, at least 4 and at most 24.',
  ],
  workers: [
    'WORKERS',
    workers.optional(),
    '[Server processes](scaling.md#several-processes-on-one-machine) behind the port, with a parent that restarts and [replaces](deploy.md#update-without-a-pause) them. `auto`: one per core. Unset: one process without a parent.',
  ],
  clientStatementSeconds: [
    'CLIENT_STATEMENT_SECONDS',
    makeWholeSetting(3, 1, 30),
    "Time limit of a [statement with a client's filter](protection.md#slow-requests), sort or expand, from 1 to 30. Superusers always have 30.",
  ],
  metricsToken: [
    'METRICS_TOKEN',
    z.string().min(16, 'must have at least 16 characters').optional(),
    'A token with which Prometheus may read `/metrics`. At least 16 characters. Tokens of superusers work, too.',
  ],
  stopDelaySeconds: [
    'STOP_DELAY_SECONDS',
    makeWholeSetting(0, 0, 60),
    'After a stop signal, `/api/ready` answers 503 for this many seconds before the server stops.',
  ],
  hstsDays: [
    'HSTS_DAYS',
    makeWholeSetting(365, 0, 36_500),
    'Browsers use only TLS for this many days, if `PUBLIC_URL` begins with `https`. 0: the server does not ask for it.',
  ],
  maxConnections: [
    'MAX_CONNECTIONS',
    makeWholeSetting(10_000, 1),
    'Open connections. The server closes further ones at once.',
  ],
  maxConnectionsPerAddress: [
    'MAX_CONNECTIONS_PER_ADDRESS',
    makeWholeSetting(2_500),
    'Open connections per address. Trusted proxies have no limit. 0: unlimited.',
  ],
  maxStreams: [
    'MAX_STREAMS',
    makeWholeSetting(2_000),
    'Event streams and waiting claims per address, and per account for its devices, [on each server](internals/client-limits.md). 0: unlimited.',
  ],
  signInTries: [
    'SIGN_IN_TRIES',
    makeWholeSetting(20, 0, 10_000),
    'Wrong passwords per address and login in 10 minutes. [Other limits](protection.md#limits) derive from it. 0: unlimited.',
  ],
  superuserSecondFactor: [
    'SUPERUSER_SECOND_FACTOR',
    flagSetting,
    'Superusers without a [second factor](access.md#a-second-factor) can only sign in and set one up.',
  ],
  auditDays: [
    'AUDIT_DAYS',
    makeWholeSetting(365, 0, 36_500),
    "The server keeps the record of [superusers' actions](security.md#what-superusers-did) for this many days. 0: forever.",
  ],
  retentionMode: [
    'SMS_RETENTION',
    makeChoiceSetting('redact', 'delete').default('redact'),
    'What happens to a message after `SMS_RETENTION_DAYS`: `redact` deletes its text, `delete` the whole message.',
  ],
  retentionDays: [
    'SMS_RETENTION_DAYS',
    makeWholeSetting(0, 0, 36_500),
    'A finished message [loses its text](security.md#how-long-texts-are-kept) after this many days. 0: never.',
  ],
  optOutWords: [
    'SMS_OPT_OUT_WORDS',
    makeWordsSetting('STOP,STOPALL,STOP ALL,UNSUBSCRIBE,CANCEL,END,QUIT,OPTOUT,OPT OUT,REVOKE'),
    'A contact who texts one of these words gets no more texts from that account. Accounts may add the [words of other languages](campaigns.md#people-who-opt-out).',
  ],
  optInWords: [
    'SMS_OPT_IN_WORDS',
    makeWordsSetting('START,YES,UNSTOP'),
    'A contact who texts one of these words gets texts again.',
  ],
  maxAttachments: [
    'SMS_MAX_ATTACHMENTS',
    makeWholeSetting(10, 0, 10),
    'Files that the server keeps of an [MMS](smsgate.md#pictures-and-other-files). At most 10; 0: none.',
  ],
  maxAttachmentBytes: [
    'SMS_MAX_ATTACHMENT_BYTES',
    makeWholeSetting(5 << 20, 0, 10 << 20),
    'Bytes of these files together. At most 10485760.',
  ],
  mmsMaxBytes: [
    'SMS_MMS_MAX_BYTES',
    makeWholeSetting(300 << 10, 1 << 10, 5 << 20),
    'Bytes of the files of an MMS that is sent. Larger pictures are made smaller. At most 5242880. If you lower it, MMS that wait with larger files fail.',
  ],
  maxAccountFileBytes: [
    'MAX_ACCOUNT_FILE_BYTES',
    makeWholeSetting(1 << 30),
    'Bytes of all files of an account, equal ones once. 0: unlimited.',
  ],
} as const satisfies Readonly<
  Record<string, readonly [variable: string, schema: z.ZodType, meaning: string]>
>
