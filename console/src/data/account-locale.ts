import { type AccountLocale, UNKNOWN_LOCALE } from '#portable/account-locale.ts'

let known = UNKNOWN_LOCALE

/** How the account reads and writes dates and numbers, as far as its settings are read. */
export const accountLocale = (): AccountLocale => known

export function setAccountLocale(locale: AccountLocale): void {
  known = locale
}
