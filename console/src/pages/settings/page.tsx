import { useState } from 'preact/hooks'
import { useSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t, tx } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { SettingsCard } from '../../parts/rows/settings-card.tsx'
import { Loading } from '../../parts/wait.tsx'
import './page.css'
import { LIMITS, MAIL, NAMING, PROXY, superusers } from './parts.tsx'
import { Rules } from './rules.tsx'
import { TestMail } from './test-mail.tsx'

/** The answer of `GET /api/health` to superusers. */
interface Health {
  readonly data: { readonly realIP?: string; readonly possibleProxyHeader?: string }
}

/** Settings of superusers. Each card is saved separately. */
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
      text={t('They count from the moment they are saved, on all servers of this database.')}
    >
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
