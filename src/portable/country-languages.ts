import { isOptLanguage, type OptLanguage } from './opt-words-by-language.ts'

/** A language in which the server writes texts about consent: English has no words of its own to choose. */
type TextLanguage = OptLanguage | 'en'

/** Countries with one of our languages. CLDR: official languages. */
const WITH_ONE: Readonly<Record<TextLanguage, string>> = {
  de: 'AT DE LI',
  en: 'AG AI AU BB BM BS BW DM FJ FK FM GB GD GG GH GM GU GY HK IE IM IN JE JM KE KI KN KY LC LR LS MH MP MS MT MW NF NG NR NZ PG PH PK PN PW SB SG SH SL SS SZ TC TO TT TV TZ UG VC VG VI WS ZA ZM ZW',
  es: 'AR BO CL CO CR CU DO EC ES GT HN MX NI PA PE PR PY SV UY VE',
  fr: 'BF BI BJ BL CD CF CG CI DJ DZ FR GA GF GN GP HT KM MA MF MG ML MQ MR NC NE PF PM RE SN TD TG TN WF YT',
  it: 'SM VA',
  nl: 'AW BQ CW NL SR SX',
  pl: 'PL',
  pt: 'AO BR CV GW MZ PT ST TL',
  sv: 'AX SE',
}

/** Countries with several, the one that most people read first; English where few read the other. */
const WITH_SEVERAL: Readonly<Record<string, readonly TextLanguage[]>> = {
  AD: ['es', 'fr', 'pt'],
  BE: ['nl', 'fr', 'de'],
  BZ: ['en', 'es'],
  CA: ['en', 'fr'],
  CH: ['de', 'fr', 'it'],
  CM: ['fr', 'en'],
  FI: ['en', 'sv'],
  GI: ['en', 'es'],
  GQ: ['es', 'fr', 'pt'],
  IT: ['it', 'de', 'fr'],
  LU: ['fr', 'de'],
  MC: ['fr', 'it'],
  MO: ['en', 'pt'],
  MU: ['en', 'fr'],
  NA: ['en', 'de'],
  RW: ['en', 'fr'],
  SC: ['en', 'fr'],
  US: ['en', 'es'],
  VU: ['en', 'fr'],
}

/** Our languages in each country, the one that most people read first. */
const LANGUAGES_OF: ReadonlyMap<string, readonly TextLanguage[]> = new Map([
  ...Object.entries(WITH_ONE).flatMap(([language, countries]) =>
    countries.split(' ').map((country) => [country, [language as TextLanguage]] as const),
  ),
  ...Object.entries(WITH_SEVERAL),
])

/**
 * The languages whose opt-out words an account takes until somebody chooses others: that of its owner and
 * those of its country (ISO 3166 alpha-2), '' for none.
 */
export const listOptOutLanguages = (country: string, language: string): OptLanguage[] => [
  ...new Set([language, ...(LANGUAGES_OF.get(country) ?? [])].filter(isOptLanguage)),
]

/** The known languages of an account. */
export interface Spoken {
  /** The languages whose opt-out words it takes. */
  readonly chosen: readonly string[]
  /** ISO 3166 alpha-2; '' for none. */
  readonly country: string
  /** That of its owner; '' for none. */
  readonly language: string
}

/**
 * The language of an account's texts: that of its owner, or of the `visitor` of its page, if it is one of
 * its country or of those chosen; else the first of these. Without any of them, that of the visitor or owner.
 */
export function chooseTextLanguage({ chosen, country, language }: Spoken, visitor = ''): string {
  const wanted = visitor || language
  const ofCountry: readonly string[] = LANGUAGES_OF.get(country) ?? []
  if (visitor !== '' && chosen.length === 0) return visitor
  if (ofCountry.includes(wanted) || chosen.includes(wanted)) return wanted
  return ofCountry[0] ?? chosen[0] ?? (wanted || 'en')
}
