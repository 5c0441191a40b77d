import type { Collection } from '../collections/collection.ts'
import { maxBodyBytes } from '../fields/max-bytes.ts'
import { DEFAULT_MAX_CHARACTERS } from '../fields/text.ts'
import { authOf, type Ctx, type Services } from './context.ts'

/** Of a guest's body. Sign-ins, subscriptions and pairing take far less. */
export const GUEST_BODY_BYTES = 64 << 10
/** The same where guests may write records, beside what files, JSON and long texts of the collection may take. */
const GUEST_RECORD_BYTES = 1 << 20
/** Of a character as JSON, escaped. */
const CHARACTER_BYTES = 6

const RECORDS = /^\/api\/collections\/([^/]+)\/records(?:\/[^/]+)?$/

/**
 * Bytes that the body of this request may have because a guest sends it; undefined for anybody who is signed in. To be
 * asked before a large body is read.
 */
export async function guestBodyLimit(c: Ctx, services: Services): Promise<number | undefined> {
  if (await authOf(c, services, { cached: true })) return undefined
  const { catalog } = services.store
  if (c.req.path === '/api/batch') {
    return Math.max(
      ...catalog.all.map((one) => limitOf(one, one.createRule, one.updateRule)),
      GUEST_BODY_BYTES,
    )
  }
  const collection = catalog.find(RECORDS.exec(c.req.path)?.[1] ?? '')
  if (!collection) return GUEST_BODY_BYTES
  return limitOf(collection, c.req.method === 'POST' ? collection.createRule : collection.updateRule)
}

function limitOf(collection: Collection, ...rules: readonly (string | null)[]): number {
  if (collection.type === 'view' || !rules.some(admitsGuests)) return GUEST_BODY_BYTES
  return collection.fields.reduce((sum, field) => sum + bytesOf(field), GUEST_RECORD_BYTES)
}

/** A rule that asks who signed in has nothing for a guest, or nothing large. */
const admitsGuests = (rule: string | null) => rule !== null && !rule.includes('@request.auth')

const bytesOf = (field: Collection['fields'][number]) =>
  field.type === 'text' ? (field.max || DEFAULT_MAX_CHARACTERS) * CHARACTER_BYTES : maxBodyBytes(field)
