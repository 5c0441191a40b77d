import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import { isLoopback, isUnencrypted } from '../../data/device/address.ts'
import { APP_URL } from '../../data/device/smsgate-app.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Qr } from '../../parts/qr.tsx'

const DRIVERS = [
  ['gammu', 'USB modem (gammu-smsd)'],
  ['modemmanager', 'Modem (ModemManager)'],
  ['termux', 'This Android phone (Termux)'],
  ['simulator', 'None: simulate a phone'],
] as const

/**
 * How an Android phone joins: the app, then the code by the phone's camera. `url` has the code behind `#`.
 */
export function AndroidPhone({ url, code }: { url: string; code: string }) {
  // the server may not know the address that people reach it by
  const address = isLoopback(url) ? `${serverUrl}/api/devices/pair#${code}` : url
  return (
    <>
      {isLoopback(address) ? (
        <Notice kind="warning">
          A phone cannot reach {serverUrl}: on a phone this address means the phone itself. Open the console
          by the server's name or by its address in your network, and set PUBLIC_URL to it.
        </Notice>
      ) : (
        isUnencrypted(address) && (
          <Notice kind="warning">
            The SMSGate app needs an https address. Put the server behind a proxy with a certificate. To try
            it in your own network, take the app's insecure build.
          </Notice>
        )
      )}
      <div class="devices-pair">
        <Qr text={APP_URL} label="QR code of the app's download page" />
        <p>
          <strong>1.</strong> Install the app{' '}
          <a href={APP_URL} target="_blank" rel="noreferrer">
            SMSGate
          </a>{' '}
          on the phone: open this link there, or point its camera at the picture.
        </p>
        <Qr text={address} label="QR code of the address with the code" />
        <div class="stack">
          <p>
            <strong>2.</strong> Point the phone's camera at this picture: the page that opens says how to
            join. Or type the code into the app:
          </p>
          <p class="devices-code">{`${code.slice(0, 3)} ${code.slice(3)}`}</p>
        </div>
      </div>
    </>
  )
}

/** How a computer with a modem joins: one command, which also runs from then on. */
export function Computer({ code }: { code: string }) {
  const [driver, setDriver] = useState<string>('gammu')
  return (
    <>
      {isLoopback(serverUrl) && (
        <Notice kind="warning">
          {serverUrl} works on this computer only. For another one, open the console by the server's name or
          by its address in your network.
        </Notice>
      )}
      {isUnencrypted(serverUrl) && (
        <Notice kind="warning">
          This address has no encryption (https): texts can be read on the way. Use it in your own network
          only.
        </Notice>
      )}
      <SelectField
        label="What sends there"
        name="driver"
        choices={DRIVERS}
        value={driver}
        onValue={setDriver}
      />
      <p>Run this command there. It needs Node 20.3 or later. It joins, and sends for as long as it runs:</p>
      <CodeBlock code={`npx -y ${serverUrl}/agent.tgz start ${serverUrl} ${code} --driver ${driver}`} />
      <p class="muted">
        The same command starts it again later. A computer may have several phones and modems: add each of
        them here.
      </p>
    </>
  )
}
