import { serverUrl } from '../data/client.ts'
import { APP_URL } from '../data/device/device-states.ts'
import { t, tx } from '../language/words.ts'
import { CodeBlock } from '../parts/code.tsx'
import type { PageProps } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { PageFrame } from './page-frame.tsx'

/** Shown on a phone that scanned a pairing QR code: explains how to pair it. `code` has six digits. */
export function Page({ params: { code = '' } }: PageProps) {
  if (!/^\d{6}$/.test(code))
    return <BrokenLink text={t('A pairing code has six digits. Scan the picture again.')} />
  return (
    <PageFrame
      title={t('Add this phone')}
      text={t('It sends texts for whoever showed you the code, which is good for five minutes.')}
    >
      <ol class="steps">
        <li>
          {tx('Install the app {app} (capcom6, open source) and open it.', {
            app: (
              <a href={APP_URL} target="_blank" rel="noreferrer">
                SMSGate
              </a>
            ),
          })}
        </li>
        <li>
          {t(
            'In Settings, Cloud server, paste this as API URL, and choose the notification channel SSE Only:',
          )}
          <CodeBlock code={`${serverUrl}/api/mobile/v1`} />
        </li>
        <li>
          {t('On the home screen switch Cloud server on, touch Offline, choose By Code and type:')}
          <CodeBlock code={code} />
        </li>
        <li>{t('The app asks to be started anew, once. Then it is ready.')}</li>
      </ol>
      <p>{t('Or, in Termux on this phone:')}</p>
      <CodeBlock
        code={`npx -y ${serverUrl}/agent.tgz start ${serverUrl} ${code} --driver termux`}
      />
    </PageFrame>
  )
}
