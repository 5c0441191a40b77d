import { UserError } from '../../src/platform/api-errors.ts'
import { listServiceLinks, readConfig } from '../../src/platform/config.ts'

test.each([
  [
    'an address without its scheme',
    { PUBLIC_URL: 'sms.example.com:8090' },
    /PUBLIC_URL: must be an address/,
  ],
  [
    'an address of another scheme',
    { PUBLIC_URL: 'ftp://sms.example.com' },
    /PUBLIC_URL: must be an address/,
  ],
  [
    'a mail address without its scheme',
    { VAPID_SUBJECT: 'ann@example.com' },
    /VAPID_SUBJECT: must be/,
  ],
  [
    'a database that is not Postgres',
    { DATABASE_URL: 'mysql://localhost/sms' },
    /DATABASE_URL: must begin with postgres:/,
  ],
  [
    'a database by the address of a service',
    { DATABASE_URL: 'tcp://10.0.0.9:5432' },
    /DATABASE_URL: must begin/,
  ],
  ['a page as a port', { SMTP_PORT: 'http://mail' }, /SMTP_PORT: must be a whole number/],
  ['half a port', { PORT: '80.5' }, /PORT: must be a whole number from 0 to 65535$/],
  ['a port that is not a number', { PORT: 'http' }, /PORT: must be a whole number/],
  ['a port that is too high', { PORT: '65536' }, /PORT: must be a whole number/],
  ['a blank', { PORT: ' ' }, /PORT: must be a whole number/],
  [
    'an empty value where one is required',
    { LEASE_SECONDS: '0' },
    /LEASE_SECONDS: must be a whole number from 1 to 86400$/,
  ],
  [
    'a negative number',
    { SMS_MONTHLY_QUOTA: '-1' },
    /SMS_MONTHLY_QUOTA: must be a whole number from 0 on$/,
  ],
  [
    'more than a week of silence',
    { DEVICE_ALARM_MINUTES: '10081' },
    /DEVICE_ALARM_MINUTES: must be a whole number from 0 to 10080$/,
  ],
  [
    'an unknown word',
    { LOG_LEVEL: 'loud' },
    /LOG_LEVEL: must be one of: fatal, error, warn, info, /,
  ],
  [
    'a name where an address belongs',
    { TRUSTED_PROXIES: '127.0.0.1, proxy' },
    /TRUSTED_PROXIES: must be/,
  ],
  ['an invalid subnet', { TRUSTED_PROXIES: '10.0.0.0/33' }, /TRUSTED_PROXIES: must be/],
  [
    'a single connection',
    { DATABASE_POOL: '1' },
    /DATABASE_POOL: must be a whole number from 2 to 200$/,
  ],
  ['a short token', { METRICS_TOKEN: 'secret' }, /METRICS_TOKEN: must have at least 16/],
  [
    'a word instead of yes or no',
    { WEBHOOK_ALLOW_PRIVATE: 'maybe' },
    /WEBHOOK_ALLOW_PRIVATE: must be one of: true, false, 1, 0$/,
  ],
])('%s is refused: $2', (_, env, sentence) => {
  expect(() => readConfig(env)).toThrow(UserError)
  expect(() => readConfig(env)).toThrow(sentence)
})

test('all invalid settings are reported together', () => {
  expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(/PORT: .*LOG_LEVEL: /s)
})

test.each([
  ['spaces around a number are ignored', { PORT: ' 80 ' }, { port: 80 }],
  ['1 is yes', { WEBHOOK_ALLOW_PRIVATE: '1' }, { webhookAllowPrivate: true }],
  ['an empty variable counts as unset', { PORT: '', VAPID_SUBJECT: '' }, { port: 8090 }],
  [
    'an address loses its last slashes',
    { PUBLIC_URL: 'https://a.example//' },
    { publicUrl: 'https://a.example' },
  ],
  [
    'an explicit address overrides the one of the host',
    { HOST: '0.0.0.0', PUBLIC_URL: 'https://a.example' },
    { urls: ['https://a.example'] },
  ],
  ['an IPv6 host is put in brackets', { HOST: '::1' }, { publicUrl: 'http://[::1]:8090' }],
  [
    'spaces in a list are ignored',
    { TRUSTED_PROXIES: ' ::1 ,, 10.0.0.0/8' },
    { trustedProxies: ['::1', '10.0.0.0/8'] },
  ],
  [
    'a port that Kubernetes sets for a service named smtp is ignored',
    { SMTP_PORT: 'tcp://10.0.0.9:25' },
    { smtpPort: 0 },
  ],
  [
    'a port that Docker sets for an IPv6 address is ignored',
    { SMTP_PORT: 'udp://[fd00::9]:25' },
    { smtpPort: 0 },
  ],
  ['words are in upper case', { SMS_OPT_IN_WORDS: 'ja, Ok' }, { optWords: { in: ['JA', 'OK'] } }],
  [
    'VAPID_SUBJECT may be a page',
    { VAPID_SUBJECT: 'https://a.example' },
    { vapidSubject: 'https://a.example' },
  ],
])('%s', (_, env, expected) => {
  expect(readConfig(env)).toMatchObject(expected)
})

test('variables that a platform sets for another program are named for a warning', () => {
  const env = { SMTP_PORT: 'tcp://10.0.0.9:25', SMTP_PORT_25_TCP: 'tcp://10.0.0.9:25', PORT: '80' }
  expect(listServiceLinks(env)).toEqual(['SMTP_PORT'])
})
