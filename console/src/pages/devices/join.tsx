import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import { APP_URL } from '../../data/device/device-states.ts'
import { isLoopback } from '../../data/loopback.ts'
import { t, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Qr } from '../../parts/qr.tsx'

/**
 * Instructions for an Android phone: install the app, then scan the code. `url` ends with `#` and the code.
 */
export function AndroidPhone({ url, code }: { url: string; code: string }) {
  // a loopback address is useless to a phone: use the address at which this browser reached the server
  const address = isLoopback(url) ? `${serverUrl}/api/devices/pair#${code}` : url
  return (
    <>
      {isLoopback(address) ? (
        <Notice kind="warning">
          <OnlyHere />
        </Notice>
      ) : (
        isUnencrypted(address) && (
          <Notice kind="warning">
            {t(
              "The SMSGate app needs an https address. Put the server behind a proxy with a certificate. To try it in your own network, take the app's insecure build.",
            )}
          </Notice>
        )
      )}
      <div class="devices-pair">
        <Qr text={APP_URL} label={t("QR code of the app's download page")} />
        <p>
          <strong>1.</strong>{' '}
          {tx(
            'Install the app {app} on the phone: open this link there, or point its camera at the picture.',
            {
              app: (
                <a href={APP_URL} target="_blank" rel="noreferrer">
                  SMSGate
                </a>
              ),
            },
          )}
        </p>
        <Qr text={address} label={t('QR code of the address with the code')} />
        <div class="stack">
          <p>
            <strong>2.</strong>{' '}
            {t(
              'Point the phone’s camera at this picture: the page that opens says how to join. Or type the code into the app:',
            )}
          </p>
          <p class="devices-code">{`${code.slice(0, 3)} ${code.slice(3)}`}</p>
        </div>
      </div>
    </>
  )
}

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

/** Whether requests to a URL leave this computer without encryption. */
const isUnencrypted = (url: string) => new URL(url).protocol === 'http:' && !isLoopback(url)

/** The commands that start the server, or the demo, so that other computers can reach it. */
const START = 'HOST=0.0.0.0 npx pocketsms serve'
const DEMO = 'HOST=0.0.0.0 npm run demo'

const OnlyHere = () => (
  <>
    {tx(
      'Only the server’s own computer reaches {serverUrl}. Stop the server and start it with {command}, or the demo with {demo}: it prints the address that phones and other computers reach it by. Then open the console by that address.',
      { serverUrl, command: <code>{START}</code>, demo: <code>{DEMO}</code> },
    )}
  </>
)
