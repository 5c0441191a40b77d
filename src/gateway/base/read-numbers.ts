import type { Store } from '../../engine/collections/catalog.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { isPlainPhone, type ReadOptions, readPhone } from '../../portable/phone/read-phone.ts'
import { splitAtSpaces } from '../../portable/phone/split-spaced-list.ts'
import { findSettings } from './find-settings.ts'
import { makeCountError } from './permissions.ts'

/** Programs write digits without a plus with any calling code, or as a number of the account's country. */
export const BY_PROGRAMS: ReadOptions = { bare: 'world' }
/** Digits without a plus are a number of the account's country: a person may have mistyped them. */
export const BY_PERSONS: ReadOptions = { bare: 'home' }

/** The country of an account as ISO 3166 alpha-2; '' if it has none. */
export const loadAccountCountry = async (
  { db }: Pick<Store, 'db'>,
  user: string,
): Promise<string> => (await findSettings(db, user, 'country'))?.country ?? ''

/**
 * Reads phone numbers in any notation, those without a calling code by the account's country. All APIs read
 * the numbers of their requests by this one. Returns a short
 * code as its digits, and undefined for an empty text or one that is no number. Numbers in E.164 need no
 * query.
 */
export async function readNumbers(
  store: Pick<Store, 'db'>,
  user: string,
  given: readonly string[],
  options = BY_PROGRAMS,
): Promise<(string | undefined)[]> {
  if (given.every((text) => text === '' || isPlainPhone(text)))
    return given.map((text) => text || undefined)
  const country = await loadAccountCountry(store, user)
  return admission.slices.map(given, (text) => readRecipient(text, country, options))
}

/** Splits lists of numbers in any notation that spaces separate, by the account's country. */
export async function splitSpacedNumbers(
  store: Pick<Store, 'db'>,
  user: string,
  lists: readonly string[],
): Promise<string[]> {
  const country = await loadAccountCountry(store, user)
  return lists.flatMap((list) => splitAtSpaces(list, country, BY_PROGRAMS))
}

function readRecipient(text: string, country: string, options: ReadOptions): string | undefined {
  const { phone, fault } = readPhone(text, country, options)
  return fault?.problem === 'short-code' ? text.trim() : phone
}

/** Reads one phone number as `readNumbers` does; undefined for a text that is none, and for a short code. */
export async function readNumber(
  store: Pick<Store, 'db'>,
  user: string,
  given: string,
  options?: ReadOptions,
): Promise<string | undefined> {
  const [number] = await readNumbers(store, user, [given], options)
  return number !== undefined && E164.test(number) ? number : undefined
}

/**
 * Numbers in E.164, each once. A text that is no number stays, so that the send refuses it. Throws 400 for
 * more than `max` different texts, before it reads any.
 */
export async function readRecipients(
  store: Pick<Store, 'db'>,
  user: string,
  given: readonly string[],
  max: number,
): Promise<string[]> {
  const texts = [...new Set(given)]
  if (texts.length > max) throw makeCountError(max)
  const numbers = await readNumbers(store, user, texts)
  return [...new Set(numbers.map((number, i) => number ?? texts[i]!))]
}
