import { serverUrl } from '../../data/client.ts'
import { isLoopback } from '../../data/loopback.ts'
import { tx } from '../../language/words.ts'

/** Whether requests to a URL leave this computer without encryption. */
export const isUnencrypted = (url: string) => new URL(url).protocol === 'http:' && !isLoopback(url)

/** The command that starts the server so that other computers can reach it. */
const START = 'HOST=0.0.0.0 npx pocketsms serve'

export const OnlyHere = () => (
  <>
    {tx(
      'Only the server’s own computer reaches {serverUrl}. Stop the server and start it with {command}: it prints the address that phones and other computers reach it by. Then open the console by that address.',
      { serverUrl, command: <code>{START}</code> },
    )}
  </>
)
