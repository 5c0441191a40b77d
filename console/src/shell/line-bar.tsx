import { isOnline } from '../data/line/line.ts'
import { t } from '../language/words.ts'

/** Shows on every page that the server does not answer. */
export const LineBar = () => (
  <p class="line-bar" role="status">
    {!isOnline.value && t('No connection. Texts that you send are kept until it is back.')}
  </p>
)
