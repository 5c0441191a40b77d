import { isLoopback } from '../data/loopback.ts'
import { t } from '../language/words.ts'
import { Notice } from './form/form.tsx'

/** Warns of links in texts that phones of recipients cannot open, because the server has a local address. */
export const LinkNotice = () =>
  isLoopback(location.href) ? (
    <Notice kind="warning">
      {t(
        'Recipients cannot open links to this server: {host} is the own address of this computer. The setting PUBLIC_URL of the server gives it a public one.',
        { host: location.host },
      )}
    </Notice>
  ) : null
