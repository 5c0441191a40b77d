import { LANGUAGES, type Language } from '#portable/languages.ts'
import { saveMailLanguage } from '../data/mail-language.ts'
import { CHOSEN, language } from '../language/language.ts'
import { t } from '../language/words.ts'

/** Names of languages in themselves. */
const NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português (Brasil)',
}

/** Keeps the language in this browser, and for mails to the person; then loads the page again in it. */
async function choose(chosen: Language): Promise<void> {
  localStorage.setItem(CHOSEN, chosen)
  await saveMailLanguage(chosen)
  location.reload()
}

/** Chooses the language of the console in this browser, and of mails to the person. */
export const LanguageSwitch = () => (
  <select
    class="language-switch"
    aria-label={t('Language')}
    value={language}
    onChange={(event) => void choose(event.currentTarget.value as Language)}
  >
    {LANGUAGES.map((each) => (
      <option key={each} value={each} lang={each}>
        {NAMES[each]}
      </option>
    ))}
  </select>
)
