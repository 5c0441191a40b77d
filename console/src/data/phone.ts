import { E164 } from '../../../src/sms/send/phone.ts'

/** What people put between digits, a zero in brackets (`+49 (0) 151`) among it. */
const BETWEEN = /\(0\)|[\s\u00a0()\-./]/g

/**
 * A number as people write it as the world dials it (`+4915112345678`); undefined if it is none. A number
 * that begins with one 0 is of the country with the given prefix (`+49`); without a prefix it is none.
 */
export function readPhone(text: string, prefix = ''): string | undefined {
  const digits = text.replace(BETWEEN, '').replace(/^00/, '+')
  const phone = prefix !== '' && /^0[1-9]/.test(digits) ? prefix + digits.slice(1) : digits
  return E164.test(phone) ? phone : undefined
}
