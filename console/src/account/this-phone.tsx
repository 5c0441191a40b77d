import { serverUrl } from '../data/client.ts'
import { APP_URL } from '../data/device/smsgate-app.ts'
import type { PageProps } from '../pages.ts'
import { CodeBlock } from '../parts/code.tsx'
import { BrokenLink } from './broken-link.tsx'
import { Sheet } from './sheet.tsx'

/**
 * What a phone shows that has scanned the picture of a pairing code: how to join with it. Six digits are the
 * code.
 */
export function Page({ params: { code = '' } }: PageProps) {
  if (!/^\d{6}$/.test(code))
    return <BrokenLink text="A pairing code has six digits. Scan the picture again." />
  return (
    <Sheet
      title="Add this phone"
      text="It sends texts for whoever showed you the code, which is good for five minutes."
    >
      <ol class="steps">
        <li>
          Install the app{' '}
          <a href={APP_URL} target="_blank" rel="noreferrer">
            SMSGate
          </a>{' '}
          (capcom6, open source) and open it.
        </li>
        <li>
          In Settings, Cloud server, paste this as API URL, and choose the notification channel SSE Only:
          <CodeBlock code={`${serverUrl}/api/mobile/v1`} />
        </li>
        <li>
          On the home screen switch Cloud server on, touch Offline, choose By Code and type:
          <CodeBlock code={code} />
        </li>
        <li>The app asks to be started anew, once. Then it is ready.</li>
      </ol>
      <p>Or, in Termux on this phone:</p>
      <CodeBlock code={`npx -y ${serverUrl}/agent.tgz start ${serverUrl} ${code} --driver termux`} />
    </Sheet>
  )
}
