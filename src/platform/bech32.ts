const KEY_BYTES = 32
const DIGITS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const DIGIT_BITS = 5
const CHECKSUM_DIGITS = 6
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

/** The 32 bytes of a text in Bech32 (BIP 173) with this prefix; undefined if the text is invalid. */
export function decodeBech32(text: string, prefix: string): Buffer | undefined {
  const lower = text.toLowerCase()
  const isOneCase = text === lower || text === text.toUpperCase()
  if (!isOneCase || !lower.startsWith(`${prefix}1`)) return undefined
  const digits = [...lower.slice(prefix.length + 1)].map((digit) => DIGITS.indexOf(digit))
  if (digits.includes(-1) || computeChecksum([...expandPrefix(prefix), ...digits]) !== 1)
    return undefined
  return joinDigits(digits.slice(0, -CHECKSUM_DIGITS))
}

function expandPrefix(prefix: string): number[] {
  const codes = [...Buffer.from(prefix)]
  return [...codes.map((code) => code >> DIGIT_BITS), 0, ...codes.map((code) => code & 31)]
}

function computeChecksum(digits: readonly number[]): number {
  let sum = 1
  for (const digit of digits) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << DIGIT_BITS) ^ digit
    for (const [bit, polynomial] of GENERATOR.entries()) if ((top >> bit) & 1) sum ^= polynomial
  }
  return sum
}

/** Joins 52 digits to 32 bytes. The last 4 bits are padding, and must be 0. */
function joinDigits(digits: readonly number[]): Buffer | undefined {
  const bits = digits.map((digit) => digit.toString(2).padStart(DIGIT_BITS, '0')).join('')
  const isKey = digits.length === Math.ceil((KEY_BYTES * 8) / DIGIT_BITS) && bits.endsWith('0000')
  if (!isKey) return undefined
  return Buffer.from(
    Array.from({ length: KEY_BYTES }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2)),
  )
}
