import { isIP } from 'node:net'
import { z } from 'zod'
import { decodeBech32 } from './bech32.ts'

/** A whole number in decimal digits. `Number` alone would accept `1e3`, and read a blank as 0. */
export const makeWholeSetting = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  makeWhole(min, max).default(fallback)

export const makeWhole = (min: number, max: number) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
  const isInRange = (text: string) =>
    /^-?\d+$/.test(text) && Number(text) >= min && Number(text) <= max
  return z.string().trim().refine(isInRange, `must be a whole number ${range}`).transform(Number)
}
export const makeChoiceSetting = <const T extends readonly string[]>(...words: T) =>
  z.enum(words, `must be one of: ${words.join(', ')}`)
export const flagSetting = makeChoiceSetting('true', 'false', '1', '0')
  .default('false')
  .transform((text) => text === 'true' || text === '1')
export const makeListSetting = (fallback = '') =>
  z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )

/** Whether a text is a public key of age: `age1…`. */
export const isRecipient = (text: string): boolean => decodeBech32(text, 'age') !== undefined

/** A list of words that contacts may text, in upper case. */
export const makeWordsSetting = (fallback: string) =>
  makeListSetting(fallback).transform((all) => all.map((word) => word.toUpperCase()))

/** Whether a text is an address or a subnet: `10.0.0.1`, `10.0.0.0/8`, `::1`. */
export function isAddress(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const version = isIP(address)
  const fits =
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  return version > 0 && fits && more === undefined
}

export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
  .optional()

export const publicUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as https://sms.example.com',
})
export const proxyUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as http://proxy.example.com:3128',
})
export const vapidSubject = z.url({
  protocol: /^(mailto|https)$/,
  error: 'must be an address such as mailto:ann@example.com',
})
export const workers = z
  .string()
  .trim()
  .regex(/^(auto|[1-9]\d{0,2})$/, 'must be auto or a whole number from 1 to 999')
  .transform((text): 'auto' | number => (text === 'auto' ? text : Number(text)))
