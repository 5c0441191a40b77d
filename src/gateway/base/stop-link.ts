import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { findPurposeKey, makePurposeKey } from '../../platform/db/secrets.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'

// A token of `{{stop_link}}`: a block of AES with an account and a number, and the first bytes of its HMAC. A
// link needs no row, works as long as its account exists, and shows neither account nor number.

export type LinkConfig = Pick<Config, 'publicUrl'>

/** The person who may end the texts of an account. */
export interface StopLink {
  readonly user: string
  /** E.164. */
  readonly number: string
}

const PURPOSE = 'stop link'
const KEY_BYTES = 32
const BLOCK_BYTES = 16
const TAG_BYTES = 8
const TOKEN = /^[\w-]{32}$/
const ID_CHARACTERS = 15
const USER = /^[a-z0-9]{15}$/
const MAX_DIGITS = 15
/** The numbers that a block holds: 36^15 accounts times 10^15 phone numbers are fewer than 2^128. */
const NUMBERS = 10n ** BigInt(MAX_DIGITS)
const BASE = 36n

interface Keys {
  readonly block: Buffer
  readonly tag: Buffer
}

function deriveLinkKeys(key: Buffer): Keys {
  const derive = (name: string) => createHmac('sha256', key).update(name).digest()
  return { block: derive('block'), tag: derive('tag') }
}

/**
 * Returns a function that makes the link of a phone number; it returns undefined if the account has another
 * kind of id, or the number too many digits. One query for all numbers.
 */
export async function makeStopLinks(
  db: Db,
  { publicUrl }: LinkConfig,
  user: string,
): Promise<(phone: string) => string | undefined> {
  const keys = deriveLinkKeys(await makePurposeKey(db, PURPOSE))
  const account = USER.test(user) ? toAccountNumber(user) * NUMBERS : undefined
  return (phone) => {
    const digits = phone.replace('+', '')
    if (account === undefined || digits.length > MAX_DIGITS || /\D/.test(digits)) return undefined
    return `${publicUrl}/leave/${encryptLinkToken(keys, account + BigInt(digits))}`
  }
}

const computeLinkTag = ({ tag }: Keys, block: Buffer) =>
  createHmac('sha256', tag).update(block).digest().subarray(0, TAG_BYTES)

function encryptLinkToken(keys: Keys, plain: bigint): string {
  const hex = plain.toString(16).padStart(2 * BLOCK_BYTES, '0')
  const cipher = createCipheriv('aes-256-ecb', keys.block, null).setAutoPadding(false)
  const block = Buffer.concat([cipher.update(hex, 'hex'), cipher.final()])
  return Buffer.concat([block, computeLinkTag(keys, block)]).toString('base64url')
}

/** The end of a link of `{{stop_link}}`, at any address. */
const LINK_END = /\/leave\/([\w-]{32})(?![\w-])/g
const MAX_ADDRESS = 300

/** Where the address begins that ends at `end`; undefined if no address does. */
function findAddressStart(text: string, end: number): number | undefined {
  const begin = Math.max(0, end - MAX_ADDRESS)
  const colon = text.slice(begin, end).lastIndexOf('://') + begin
  const scheme = ['https', 'http'].find((name) => text.slice(0, colon).endsWith(name))
  if (colon < begin || !scheme || /[\s?#]/.test(text.slice(colon, end))) return undefined
  return colon - scheme.length
}

/** A text that is sent again, with the present address in its links. Links of others stay. */
export async function renewStopLinks(
  db: Db,
  { publicUrl }: LinkConfig,
  text: string,
): Promise<string> {
  let renewed = ''
  let done = 0
  for (const { 0: path, 1: token = '', index } of text.matchAll(LINK_END)) {
    const start = findAddressStart(text, index)
    if (start === undefined || !(await readStopLink(db, token))) continue
    renewed += text.slice(done, start) + publicUrl + path
    done = index + path.length
  }
  return renewed + text.slice(done)
}

/** The person whose link has this token; undefined for a forged one, after the same work for each. */
export async function readStopLink(db: Db, token: string): Promise<StopLink | undefined> {
  const keys = deriveLinkKeys((await findPurposeKey(db, PURPOSE)) ?? randomBytes(KEY_BYTES))
  const bytes = Buffer.alloc(BLOCK_BYTES + TAG_BYTES)
  if (TOKEN.test(token)) bytes.write(token, 'base64url')
  const block = bytes.subarray(0, BLOCK_BYTES)
  if (!timingSafeEqual(computeLinkTag(keys, block), bytes.subarray(BLOCK_BYTES))) return undefined
  const decipher = createDecipheriv('aes-256-ecb', keys.block, null).setAutoPadding(false)
  const plain = BigInt(
    `0x${Buffer.concat([decipher.update(block), decipher.final()]).toString('hex')}`,
  )
  const number = normalizePhone(`+${plain % NUMBERS}`)
  // a link in a preview without recipients has no number
  return E164.test(number) ? { user: toAccountId(plain / NUMBERS), number } : undefined
}

const toAccountNumber = (user: string): bigint =>
  [...user].reduce((sum, digit) => sum * BASE + BigInt(Number.parseInt(digit, 36)), 0n)

const toAccountId = (account: bigint): string => account.toString(36).padStart(ID_CHARACTERS, '0')
