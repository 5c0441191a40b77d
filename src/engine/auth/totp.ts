import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// One-time passwords by time, RFC 6238, with what all authenticator apps know: SHA-1, 30 s, 6 digits.

const STEP_MS = 30_000
const DIGITS = 6
const SECRET_BYTES = 20
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

export const APP_CODE = /^\d{6}$/

/** How many steps a clock may be slow or fast. RFC 6238, 5.2 */
export const DRIFT = 1

/** The time step of a code, which may be the one before or after `now`; undefined for a wrong code. */
export function findTotpStep(secret: string, code: string, now: number): number | undefined {
  const typed = Buffer.from(code)
  return [now, now - DRIFT, now + DRIFT].find((step) =>
    timingSafeEqual(Buffer.from(computeTotp(secret, step)), typed),
  )
}

/** Colons, also wide and small ones, which apps may read as the one between issuer and person. */
const COLONS = /[:\uFE13\uFE55\uFF1A]/g
const readTotpName = (text: string) =>
  encodeURIComponent(text.replace(COLONS, ' ').replace(/\s+/g, ' ').trim())

/**
 * The address in the QR code that authenticator apps read. Neither name may have a colon:
 * github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function makeTotpUrl(secret: string, issuer: string, person: string): string {
  const [by, of] = [issuer, person].map(readTotpName)
  if (!by) return `otpauth://totp/${of}?secret=${secret}`
  return `otpauth://totp/${by}:${of}?secret=${secret}&issuer=${by}`
}
