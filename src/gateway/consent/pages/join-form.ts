import type { Language } from '../../../portable/languages.ts'
import { listPhoneCountries } from '../../../portable/phone/format-phone.ts'
import type { JoinPage } from './join-page.ts'
import {
  escapeText,
  type Html,
  type HtmlPage,
  html,
  linkAddresses,
  NOTHING,
  renderHtmlPage,
} from './page-html.ts'
import { fillPageWords, type PageWord } from './page-words.ts'

/** Values that a person has typed. `country`: ISO 3166 alpha-2. */
export interface Typed {
  readonly country: string
  readonly number: string
}

/** The form by which people join a group. `fault`: why the last one was refused. */
export function joinForm(shown: JoinPage, { country, number }: Typed, fault?: PageWord): HtmlPage {
  const { language, texts, version, look, names } = shown
  const say = (word: PageWord) => escapeText(fillPageWords(language, word))
  const body = html`<p class="muted">${escapeText(texts.sender)}</p>
${renderJoinError(language, fault)}
${texts.own ? html`<p>${linkAddresses(texts.own)}</p>` : NOTHING}
<form method="post" accept-charset="utf-8">
<input type="hidden" name="version" value="${escapeText(version)}">
<label for="country">${say('country')}</label>
<select id="country" name="country" autocomplete="country">${renderCountryOptions(language, country)}</select>
<label for="number">${say('number')}</label>
<input id="number" name="number" type="tel" autocomplete="tel-national" required maxlength="40" value="${escapeText(number)}">
<label class="box" for="agree"><input id="agree" name="agree" type="checkbox" value="yes" required>
<span>${linkAddresses(texts.consent)}</span></label>
<p class="muted">${linkAddresses(texts.terms)}</p>
<button>${say('join')}</button>
</form>`
  return renderHtmlPage(language, texts.heading, body, look, names.account)
}

/** The fault of the last request, for screen readers, too. */
export const renderJoinError = (language: Language, fault?: PageWord): Html =>
  fault
    ? html`<p class="fault" role="alert">${escapeText(fillPageWords(language, fault))}</p>`
    : NOTHING

type Country = readonly [country: string, words: string]
const known = new Map<Language, readonly Country[]>()

/** All countries with their calling codes, sorted by their names. */
function listCountries(language: Language): readonly Country[] {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const { compare } = new Intl.Collator(language)
  return listPhoneCountries()
    .map(({ country, code }): Country => [country, `${names.of(country)} (${code})`])
    .sort(([, a], [, b]) => compare(a, b))
}

function renderCountryOptions(language: Language, chosen: string): readonly Html[] {
  const countries = known.get(language) ?? listCountries(language)
  known.set(language, countries)
  const hasNone = !countries.some(([country]) => country === chosen)
  return [
    ...(hasNone ? [html`<option value="" selected></option>`] : []),
    ...countries.map(([country, words]) =>
      country === chosen
        ? html`<option value="${escapeText(country)}" selected>${escapeText(words)}</option>`
        : html`<option value="${escapeText(country)}">${escapeText(words)}</option>`,
    ),
  ]
}
