import { serverUrl } from '../../data/client.ts'
import { APP_URL } from '../../data/device/device-states.ts'
import { isLoopback } from '../../data/loopback.ts'
import { t, tx } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { Qr } from '../../parts/qr.tsx'
import { isUnencrypted, OnlyHere } from './local-server-notice.tsx'

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
