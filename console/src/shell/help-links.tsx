import { t } from '../language/words.ts'
import { to } from '../router.ts'

/** The ways to the help for people and to the reference for programs, at the end of every page. */
export const HelpLinks = () => (
  <p class="help-links">
    <a href={to('/help')}>{t('Help')}</a>
    <a href="/docs">{t('API docs')}</a>
  </p>
)
