import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import { isLoopback } from '../../data/loopback.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { isUnencrypted, OnlyHere } from './local-server-notice.tsx'

const DRIVERS = [
  ['gammu', t('USB modem (gammu-smsd)')],
  ['modemmanager', t('Modem (ModemManager)')],
  ['termux', t('This Android phone (Termux)')],
  ['smpp', t('Account of a carrier (SMPP)')],
  ['simulator', t('None: simulate a phone')],
] as const

/** Instructions for a computer with a modem: one command pairs it, then sends texts until it is stopped. */
export function Computer({ url, code }: { url: string; code: string }) {
  const server = isLoopback(url) ? serverUrl : new URL(url).origin
  const [driver, setDriver] = useState<string>('gammu')
  return (
    <>
      {isLoopback(server) && (
        <Notice kind="warning">
          <OnlyHere />
        </Notice>
      )}
      {isUnencrypted(server) && (
        <Notice kind="warning">
          {t(
            'This address has no encryption (https): texts can be read on the way. Use it in your own network only.',
          )}
        </Notice>
      )}
      <SelectField
        label={t('What sends there')}
        name="driver"
        choices={DRIVERS}
        value={driver}
        onValue={setDriver}
      />
      <p>
        {t(
          'Run this command there. It needs Node 20.3 or later. It joins, and sends for as long as it runs:',
        )}
      </p>
      <CodeBlock code={`npx -y ${server}/agent.tgz start ${server} ${code} --driver ${driver}`} />
      <p class="muted">
        {t(
          'The same command starts it again later. A computer may have several phones and modems: add each of them here.',
        )}
      </p>
    </>
  )
}
