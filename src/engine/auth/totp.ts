import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// One-time passwords by time, RFC 6238, with what all authenticator apps know: SHA-1, 30 s, 6 digits.

const STEP_MS = 30_000
const DIGITS = 6
const SECRET_BYTES = 20
/** How many steps a clock may be slow or fast. RFC 6238, 5.2 */
const DRIFT = 1
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BITS = 5

/** A secret in base32, RFC 4648. Its 32 characters have no padding. */
export function makeTotpSecret(): string {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0'))
  return bits.join('').replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!)
}

function decodeBase32(secret: string): Buffer {
  const bits = [...secret].map((char) => BASE32.indexOf(char).toString(2).padStart(BITS, '0'))
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of a time step. RFC 4226, 5.3 */
export function computeTotp(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export const readTotpStep = (ms = Date.now()): number => Math.floor(ms / STEP_MS)

/** The time step of a code, which may be the one before or after the present; undefined for a wrong code. */
export function findTotpStep(secret: string, code: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const now = readTotpStep()
  const typed = Buffer.from(code)
  return [now, now - DRIFT, now + DRIFT].find((step) =>
    timingSafeEqual(Buffer.from(computeTotp(secret, step)), typed),
  )
}

/** The address in the QR code that authenticator apps read. */
export function makeTotpUrl(secret: string, issuer: string, person: string): string {
  const label = [issuer, person].map(encodeURIComponent).join(':')
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}
