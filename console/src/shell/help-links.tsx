import { t } from '../language/words.ts'
import { to } from '../router.ts'

export const HelpLinks = () => (
  <p class="help-links">
    <a href={to('/help')}>{t('Help')}</a>
    <a href="/docs">{t('API docs')}</a>
  </p>
)
