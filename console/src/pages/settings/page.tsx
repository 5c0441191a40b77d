import { useState } from 'preact/hooks'
import { useSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t, tx } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { Page as Frame, Reading } from '../../parts/page.tsx'
import { NO_AUTOFILL, SettingsCard, type SettingsPart } from '../../parts/rows/settings-card.tsx'
import { Rules } from './rules.tsx'
import './page.css'
import { makeSuperusersPart, PROXY } from './connections.ts'
import { MAIL, TestMail } from './mail.tsx'

/** The default of meta.appURL. While it is unchanged, the server uses the environment variable PUBLIC_URL. */
const UNSET_URL = 'http://localhost:8090'

/** Mail programs open no link without a scheme. */
const completeAddress = (typed: string): string =>
  typed === '' ? UNSET_URL : /^https?:\/\//i.test(typed) ? typed : `https://${typed}`

const NAMING: SettingsPart = {
  key: 'settings.naming',
  title: t('Name and address'),
  action: t('Save name and address'),
  saved: t('Name and address saved'),
  rows: [
    {
      name: 'meta.appName',
      label: t('Name of this service'),
      hint: t('Mails show this name.'),
      ...NO_AUTOFILL,
    },
    {
      name: 'meta.appURL',
      label: t('Address'),
      kind: 'url',
      placeholder: 'https://sms.example.com',
      ...NO_AUTOFILL,
      hint: t('The address of links in mails. Empty: PUBLIC_URL of the server.'),
      read: (url) => (url === UNSET_URL ? '' : String(url)),
      write: (typed) => completeAddress(String(typed).trim()),
    },
  ],
}

const LIMITS: SettingsPart = {
  key: 'settings.limits',
  title: t('Limits of requests'),
  action: t('Save limits'),
  saved: t('Limits saved'),
  rows: [
    {
      name: 'rateLimits.enabled',
      kind: 'check',
      label: t('Limit how often one address may ask, by these rules'),
    },
    {
      name: 'rateLimits.excludedIPs',
      label: t('Addresses without limits'),
      kind: 'list',
      rows: 2,
      ...NO_AUTOFILL,
      hint: t(
        'One address a line: 203.0.113.7, or a subnet such as 10.0.0.0/8. Superusers have no limits either.',
      ),
    },
  ],
}

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
    <Frame
      title={t('Settings')}
      text={t('Saved changes apply at once, on all servers of this database.')}
    >
      <Reading value={settings} fault={fault} />
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
                  'The server sees {address} as your own address. If that is wrong, name your proxies in TRUSTED_PROXIES of the server, or a header here.',
                  { address: <strong class="mono">{own || '…'}</strong> },
                )}
                {seen && ` ${t('Your requests have the header {seen}.', { seen })}`}
              </p>
            </SettingsCard>
          </div>
          <SettingsCard part={makeSuperusersPart(own)} settings={settings} />
          {isTesting && (
            <TestMail hasServer={settings.smtp.enabled} onClose={() => setTesting(false)} />
          )}
        </>
      )}
    </Frame>
  )
}
