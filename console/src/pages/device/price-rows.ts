import { t } from '../../language/words.ts'
import type { FormRow } from '../../parts/rows/form-row.ts'
import type { Value } from '../../parts/rows/values.ts'

type Prices = Readonly<Record<string, string>>

const PRICE = /^(?:(\+[1-9]\d{0,14}|mms)[\s:=]+)?(\d{1,6}(?:[.,]\d{1,6})?)$/
const MONEY = /^\d{1,9}(?:[.,]\d{1,6})?$/

/** The prices of a line as lines of text: that for all other numbers first. */
function readPrices(stored: unknown): string {
  const { default: usual, ...others } = (stored ?? {}) as Prices
  const lines = Object.entries(others).map(([prefix, price]) => `${prefix} ${price}`)
  return [...(usual === undefined ? [] : [usual]), ...lines].join('\n')
}

/** The prices that a person typed; null for none, undefined if a line is no price. */
function writePrices(typed: Value): Prices | null | undefined {
  const lines = String(typed)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const found = lines.map((line) => PRICE.exec(line))
  if (found.some((one) => one === null)) return undefined
  const prices = found.map((one) => [one?.[1] ?? 'default', String(one?.[2]).replace(',', '.')])
  return prices.length > 0 ? Object.fromEntries(prices) : null
}

const writeMoney = (typed: Value) => String(typed).trim().replace(',', '.')

/** Fields for what the texts of a line cost. */
export const makePriceRows = (currency: string): FormRow => ({
  summary: t('Prices and budget'),
  folded: [
    {
      name: 'prices',
      label: t('Price of a segment'),
      kind: 'area',
      rows: 3,
      spellcheck: false,
      read: readPrices,
      write: writePrices,
      placeholder: '0.09\n+49 0.075\n+4366 0.081',
      hint: t(
        'One price in each row: alone for all numbers, after first digits for these numbers, after mms for an MMS. The line sends only to numbers that have a price. Empty: texts cost nothing.',
      ),
      error: (typed) =>
        writePrices(typed) === undefined
          ? t('Write a price in each row, such as +49 0.075.')
          : undefined,
    },
    {
      name: 'monthly_budget',
      label: t('Budget a month'),
      placeholder: t('No limit'),
      read: (stored) => String(stored ?? ''),
      write: writeMoney,
      hint: currency
        ? t(
            'In {currency}. A text that would exceed the budget uses another line, or waits for the next month.',
            {
              currency,
            },
          )
        : t(
            'A text that would exceed it uses another line, or waits for the next month. Choose your currency on Account.',
          ),
      error: (typed, values) => {
        if (typed === '') return undefined
        if (String(values.prices).trim() === '') return t('A budget needs prices.')
        return MONEY.test(String(typed).trim()) ? undefined : t('Write an amount such as 20.00.')
      },
    },
  ],
})
