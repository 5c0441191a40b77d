import { CHOSEN, LANGUAGES, type Language, language } from '../language/language.ts'
import { t } from '../language/words.ts'

/** Names of languages in themselves. */
const NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português (Brasil)',
}

/** Chooses the language of the console in this browser, and loads the page again in it. */
export const LanguageSwitch = () => (
  <select
    class="language-switch"
    aria-label={t('Language')}
    value={language}
    onChange={(event) => {
      localStorage.setItem(CHOSEN, event.currentTarget.value)
      location.reload()
    }}
  >
    {LANGUAGES.map((each) => (
      <option key={each} value={each} lang={each}>
        {NAMES[each]}
      </option>
    ))}
  </select>
)
