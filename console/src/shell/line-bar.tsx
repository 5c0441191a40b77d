import { isOnline } from '../data/line/line.ts'
import { t } from '../language/words.ts'

/** Says that the server does not answer, over every page. */
export const LineBar = () => (
  <p class="line-bar" role="status">
    {!isOnline.value && t('No connection. Texts that you send are kept until it is back.')}
  </p>
)
