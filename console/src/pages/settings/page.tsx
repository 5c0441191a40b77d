import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { useSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t, tx } from '../../language/words.ts'
import { confirmed, Dialog } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { type FormRow, RowsForm } from '../../parts/rows/rows-form.tsx'
import { SettingsCard, type SettingsPart } from '../../parts/rows/settings-card.tsx'
import type { Values } from '../../parts/rows/values.ts'
import { Rules } from './rules.tsx'
import './page.css'

/** The default of meta.appURL. While it is unchanged, the server uses the environment variable PUBLIC_URL. */
const UNSET_URL = 'http://localhost:8090'
/** Turns off the browser's autofill, which would fill in the superuser's own data. */
const PLAIN = { autocomplete: 'off', spellcheck: false } as const

const NAMING: SettingsPart = {
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

const MAIL: SettingsPart = {
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

const PROXY: SettingsPart = {
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
        ['right', t('The last, from your proxy')],
        ['left', t('The first, set by your proxy')],
      ],
      read: (isLeft) => (isLeft ? 'left' : 'right'),
      write: (side) => side === 'left',
    },
  ],
}

/** Where superusers may connect from. Asks before saving a list that lacks `own`, the user's own address. */
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

interface Health {
  readonly data: { readonly realIP?: string; readonly possibleProxyHeader?: string }
}

export function Page() {
  const { value: settings, fault, reload } = useSettings()
  const { value: health, reload: askAgain } = useAnswer<Health>('/api/health')
  const [isTesting, setTesting] = useState(false)
  const own = health?.data.realIP ?? ''
  const seen = health?.data.possibleProxyHeader
  const test = (
    <Button icon="send" onClick={() => setTesting(true)}>
      {t('Send a test mail')}
    </Button>
  )
  return (
    <Frame title={t('Settings')} text={t('Changes apply at once, on all servers of this database.')}>
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {!settings && !fault && <Loading />}
      {settings && (
        <>
          <SettingsCard part={NAMING} settings={settings} />
          <SettingsCard part={MAIL} settings={settings} actions={test} onSaved={reload} />
          <div class="columns">
            <SettingsCard part={LIMITS} settings={settings}>
              <Rules first={settings.rateLimits.rules} />
            </SettingsCard>
            <SettingsCard part={PROXY} settings={settings} onSaved={askAgain}>
              <p class="muted">
                {tx(
                  'To the server, your own address is {address}. If it is not, name your proxies in TRUSTED_PROXIES of the server, or a header here.',
                  { address: <strong class="mono">{own || '…'}</strong> },
                )}
                {seen && ` ${t('Your requests have the header {seen}.', { seen })}`}
              </p>
            </SettingsCard>
          </div>
          <SettingsCard part={superusers(own)} settings={settings} />
          {isTesting && <TestMail hasServer={settings.smtp.enabled} onClose={() => setTesting(false)} />}
        </>
      )}
    </Frame>
  )
}

const ROWS: readonly FormRow[] = [
  { name: 'email', label: t('To'), kind: 'email', autocomplete: 'off' },
  {
    ...{ name: 'template', label: t('Which mail'), kind: 'select' },
    choices: [
      ['verification', t('Confirm an email address')],
      ['password-reset', t('A forgotten password')],
      ['email-change', t('Another email address')],
      ['otp', t('A code to sign in')],
      ['login-alert', t('A sign-in from a new place')],
    ],
  },
]

function TestMail({ hasServer, onClose }: { hasServer: boolean; onClose: () => void }) {
  const send = async (_: object, { email, template }: { email?: unknown; template?: unknown }) => {
    const body = { email: String(email).trim(), template, collection: 'users' }
    await pb.send('/api/settings/test/email', { method: 'POST', body })
    return hasServer
      ? t('The SMTP server took the mail to {email}', { email: body.email })
      : t('The mail is in the server’s log')
  }
  return (
    <Dialog title={t('Send a test mail')} onClose={onClose}>
      <p class="muted">
        {hasServer
          ? t('It goes out by the settings as they are saved.')
          : t('No SMTP server is set: the mail is written to the server’s log.')}
      </p>
      <RowsForm
        draftKey="settings.test-mail"
        rows={ROWS}
        stored={{ email: session.value?.email, template: 'verification' }}
        {...{ save: send, action: t('Send'), onDone: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}
