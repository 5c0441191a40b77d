import { t } from '../language/words.ts'
import { to } from '../router.ts'

/** Links to the help and to the API reference. */
export const HelpLinks = () => (
  <p class="help-links">
    <a href={to('/help')}>{t('Help')}</a>
    <a href="/docs">{t('API docs')}</a>
  </p>
)
