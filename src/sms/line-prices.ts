import { fieldError, invalidFields } from '../errors.ts'
import type { Values } from './hours.ts'

const MAX_PRICES = 200
const PREFIX = /^\+[1-9]\d{0,14}$/
const DECIMAL = /^\d{1,6}(\.\d{1,6})?$/

/**
 * Throws 400 unless a line's `prices` are decimals as texts, by prefix or `default`, and a `monthly_budget`
 * has prices. Numbers of JSON are refused: programs read them as binary fractions.
 */
export function checkPrices({ prices, monthly_budget: budget }: Values): void {
  const given: unknown = JSON.parse(String(prices ?? null))
  if (!isUnset(given) && !arePrices(given)) {
    const message = `Must be an object of at most ${MAX_PRICES} prices, such as {"default":"0.09","+49":"0.075"}.`
    throw invalidFields({ prices: fieldError('validation_invalid_prices', message) })
  }
  if (budget && isUnset(given)) {
    const message = 'A budget needs prices.'
    throw invalidFields({ monthly_budget: fieldError('validation_invalid_budget', message) })
  }
}

const isUnset = (given: unknown) => given === null || given === ''

function arePrices(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  const all = Object.entries(given)
  const isPrice = ([prefix, price]: [string, unknown]) =>
    (prefix === 'default' || PREFIX.test(prefix)) && typeof price === 'string' && DECIMAL.test(price)
  return all.length > 0 && all.length <= MAX_PRICES && all.every(isPrice)
}
