import type { Settings } from './settings.ts'

/** Minimum digits of a number with its calling code; shorter ones are short codes. ITU-T E.164 */
const SHORTEST = 7
const LONGEST = 15
/** From this length on, a number that starts with the country's calling code includes it. */
const WITH_CODE = 11
/** Types of numbers. SMPP 3.4, 5.2.5 */
const UNKNOWN = 0
const INTERNATIONAL = 1
const NATIONAL = 2
const NAME = 5

type Forms = Pick<Settings, 'country_code' | 'international_prefix' | 'national_prefix' | 'numbers'>

/** The sender of an incoming text: in E.164 if it is a number of a known country, else unchanged. */
export function numberOf(address: string, ton: number, forms: Forms): string {
  const { country_code: code, international_prefix, national_prefix, numbers } = forms
  if (!/^\d+$/.test(address) || address.length > LONGEST + international_prefix.length) return address
  if (ton === NAME || address.length < SHORTEST) return address
  if (ton === INTERNATIONAL && !address.startsWith('0')) return `+${address}`
  const after = (prefix: string) =>
    prefix !== '' && address.startsWith(prefix) && address.length - prefix.length >= SHORTEST
      ? address.slice(prefix.length)
      : undefined
  const withCode = after(international_prefix)
  if (withCode) return `+${withCode}`
  // calling codes never start with 0
  const isPrefixed =
    national_prefix.startsWith('0') || numbers === 'national' || (numbers === 'auto' && ton === NATIONAL)
  const national = code && isPrefixed && after(national_prefix)
  if (national) return `+${code}${national}`
  const shortest = ton === UNKNOWN || ton === NATIONAL ? SHORTEST : WITH_CODE
  if (address.length < shortest || address.startsWith('0')) return address
  const looksWhole = ton !== NATIONAL || (address.length >= WITH_CODE && address.startsWith(code))
  if (numbers === 'international' || (numbers === 'auto' && looksWhole)) return `+${address}`
  return code ? `+${code}${address}` : address
}

/** Prints how the usual forms of numbers are read. */
export function sayNumbers(forms: Forms, say: (line: string) => void): void {
  const code = forms.country_code || '49'
  const tons = [UNKNOWN, INTERNATIONAL, NATIONAL]
  const row = (cells: readonly string[]) => {
    const line = cells.map((cell) => cell.padEnd(18)).join('')
    say(line.trimEnd())
  }
  row(['sender as sent', ...tons.map((ton) => `with TON ${ton}`)])
  for (const prefix of [code, `${forms.international_prefix}${code}`, forms.national_prefix, '']) {
    const address = `${prefix}1512345678`
    row([address, ...tons.map((ton) => numberOf(address, ton, forms))])
  }
}
