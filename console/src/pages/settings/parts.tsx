import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Notice } from '../../parts/form/form.tsx'
import type { SettingsPart } from '../../parts/rows/settings-card.tsx'
import type { Values } from '../../parts/rows/values.ts'

/** The default address, which counts as not set: the server then uses PUBLIC_URL. */
const UNSET_URL = 'http://localhost:8090'
/** Turns off autofill, which would enter the user's own data. */
const PLAIN = { autocomplete: 'off', spellcheck: false } as const

export const NAMING: SettingsPart = {
  key: 'settings.naming',
  title: t('Name and address'),
  action: t('Save name and address'),
  saved: t('Name and address saved'),
  rows: [
    {
      name: 'meta.appName',
      label: t('Name of this service'),
      hint: t('Your users read it in mails.'),
      ...PLAIN,
    },
    {
      ...{
        name: 'meta.appURL',
        label: t('Address'),
        kind: 'url',
        placeholder: 'https://sms.example.com',
        ...PLAIN,
      },
      hint: t('Where links in mails lead. Empty: to PUBLIC_URL of the server.'),
      read: (url) => (url === UNSET_URL ? '' : String(url)),
      write: (typed) => String(typed).trim() || UNSET_URL,
    },
  ],
}

const hasServer = (values: Values) => values['smtp.enabled'] === true

export const MAIL: SettingsPart = {
  key: 'settings.mail',
  title: t('Mail'),
  action: t('Save mail settings'),
  saved: t('Mail settings saved'),
  rows: [
    [
      { name: 'meta.senderName', label: t('Sender’s name'), ...PLAIN },
      { name: 'meta.senderAddress', label: t('Sender’s address'), kind: 'email', ...PLAIN },
    ],
    { name: 'smtp.enabled', label: t('Send mails through an SMTP server'), kind: 'check' },
    ({ values }) =>
      !hasServer(values) && (
        <Notice>{t('Without one, mails are written to the server’s log, links included.')}</Notice>
      ),
    [
      { name: 'smtp.host', label: t('SMTP server'), shown: hasServer, ...PLAIN },
      { name: 'smtp.port', label: t('Port'), kind: 'number', min: 1, max: 65535, shown: hasServer },
    ],
    [
      { name: 'smtp.username', label: t('User name'), shown: hasServer, ...PLAIN },
      {
        ...{ name: 'smtp.password', label: t('Password'), kind: 'password', shown: hasServer },
        ...{ autocomplete: 'new-password', hint: t('Empty: it stays as it is.') },
      },
    ],
    [
      {
        ...{ name: 'smtp.tls', label: t('Encryption'), kind: 'select', shown: hasServer },
        choices: [
          ['', t('STARTTLS, if offered (587)')],
          ['tls', t('TLS from the start (465)')],
        ],
        read: (tls) => (tls ? 'tls' : ''),
        write: (choice) => choice !== '',
      },
      {
        ...{ name: 'smtp.authMethod', label: t('Sign-in method'), kind: 'select', shown: hasServer },
        choices: [
          ['', 'PLAIN'],
          ['LOGIN', t('LOGIN (Outlook)')],
        ],
        read: (method) => (method === 'LOGIN' ? 'LOGIN' : ''),
      },
    ],
  ],
}

export const LIMITS: SettingsPart = {
  key: 'settings.limits',
  title: t('Limits of requests'),
  action: t('Save limits'),
  saved: t('Limits saved'),
  rows: [
    {
      ...{ name: 'rateLimits.enabled', kind: 'check' },
      label: t('Limit how often one address may ask, by these rules'),
    },
    {
      ...{
        name: 'rateLimits.excludedIPs',
        label: t('Addresses without limits'),
        kind: 'list',
        rows: 2,
        ...PLAIN,
      },
      hint: t('One a line: 203.0.113.7, or a subnet such as 10.0.0.0/8. Superusers have none either.'),
    },
  ],
}

export const PROXY: SettingsPart = {
  key: 'settings.proxy',
  title: t('Reverse proxy'),
  action: t('Save proxy'),
  saved: t('Proxy saved'),
  rows: [
    {
      ...{ name: 'trustedProxy.headers', label: t('Headers that are believed'), kind: 'list', ...PLAIN },
      placeholder: t('None'),
      hint: t(
        'Set this only if all traffic goes through the proxy. Otherwise anyone can fake their IP address.',
      ),
    },
    {
      ...{
        name: 'trustedProxy.useLeftmostIP',
        label: t('If there are several addresses in it'),
        kind: 'select',
      },
      choices: [
        ['right', t('The last one: your proxy wrote it')],
        ['left', t('The first one: your proxy replaces what it gets')],
      ],
      read: (isLeft) => (isLeft ? 'left' : 'right'),
      write: (side) => side === 'left',
    },
  ],
}

/** Addresses that superusers may use. `own`: the caller's, which must stay allowed. */
export const superusers = (own: string): SettingsPart => ({
  key: 'settings.superusers',
  title: t('Where superusers come from'),
  action: t('Save addresses'),
  saved: t('Addresses saved'),
  rows: [
    {
      ...{ name: 'superuserIPs', label: t('Addresses of superusers'), kind: 'list', rows: 2, ...PLAIN },
      hint: t('One a line, or a subnet such as 10.0.0.0/8. Empty: from anywhere. Your own is {own}.', {
        own: own || '…',
      }),
    },
  ],
  isSure: async ({ superuserIPs = [] }) =>
    superuserIPs.length === 0 ||
    superuserIPs.includes(own) ||
    confirmed({
      title: t('Is your own address among them?'),
      text: t(
        '{own} is not in the list as it stands. If no subnet there has it, you are locked out at once, and only somebody at one of these addresses can change that.',
        { own },
      ),
      action: t('Save anyway'),
      danger: true,
    }),
})
