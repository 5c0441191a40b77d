import { serverUrl } from '../../data/client.ts'
import { isLoopback } from '../../data/loopback.ts'
import { tx } from '../../language/words.ts'

/** Whether requests to a URL leave this computer without encryption. */
export const isUnencrypted = (url: string) => new URL(url).protocol === 'http:' && !isLoopback(url)

/** The commands that start the server, or the demo, so that other computers can reach it. */
const START = 'HOST=0.0.0.0 npx pocketsms serve'
const DEMO = 'HOST=0.0.0.0 npm run demo'

export const OnlyHere = () => (
  <>
    {tx(
      'Only the server’s own computer reaches {serverUrl}. Stop the server and start it with {command}, or the demo with {demo}: it prints the address that phones and other computers reach it by. Then open the console by that address.',
      { serverUrl, command: <code>{START}</code>, demo: <code>{DEMO}</code> },
    )}
  </>
)
