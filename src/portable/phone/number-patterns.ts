import { codeOfCountry, findCountryNamed, findTrunkPrefix } from './numbering-plans.ts'
import { toPresentPrefix } from './other-phone-forms.ts'
import { SEPARATORS, toPlainText } from './plain-text.ts'
import { readPhone } from './read-phone.ts'

/**
 * The first digits of numbers as people write them: `+49 151`, `0049151`, in Germany also `0151`. Digits
 * without `+` begin with a calling code. Any other text stays as it is.
 */
export function readPrefix(text: string, country = ''): string {
  const digits = toPlainText(text).replace(SEPARATORS, '').replace(/^00/, '+')
  if (/^\+?[1-9]\d*$/.test(digits)) return toPresentPrefix(digits)
  const home = findCountryNamed(country)
  const trunk = home && findTrunkPrefix(home)
  if (!home || !/^0\d+$/.test(digits) || (trunk && trunk !== '0')) return text
  return toPresentPrefix(`+${codeOfCountry(home)}${digits.slice(trunk?.length)}`)
}

/** A prefix of destinations. A minus instead of the `+` forbids them. */
export const readDestination = (text: string, country = ''): string =>
  text.startsWith('-')
    ? readPrefix(text.slice(1), country).replace(/^\+?/, '-')
    : readPrefix(text, country)

/** A sender that a filter names: a number, with a `*` after it the first digits of numbers, or a name. */
export function readSenderFilter(text: string, country = ''): string {
  if (text.endsWith('*')) return `${readPrefix(text.slice(0, -1), country)}*`
  return readPhone(text, country).phone ?? text
}
