import { locale } from '../language/language.ts'

/** A decimal of the server in the currency of the account, such as `€0.24`; without one as a number. */
export function formatMoney(amount: string, currency: string): string {
  const options = currency
    ? ({ style: 'currency', currency } as const)
    : { minimumFractionDigits: 2 }
  // a price of a segment may have more digits than its currency
  return new Intl.NumberFormat(locale, { ...options, maximumFractionDigits: 6 }).format(
    Number(amount),
  )
}
