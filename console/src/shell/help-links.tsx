import { t } from '../language/words.ts'
import { makePageHref } from '../router.ts'

export const HelpLinks = () => (
  <p class="help-links">
    <a href={makePageHref('/help')}>{t('Help')}</a>
    <a href="/docs">{t('API docs')}</a>
  </p>
)
