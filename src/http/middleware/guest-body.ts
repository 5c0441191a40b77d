import type { Collection } from '../../collections/catalog.ts'
import { maxBodyBytes } from '../../fields/field-types.ts'
import { DEFAULT_MAX_CHARACTERS } from '../../fields/text.ts'
import type { Ctx, Services } from '../context.ts'
import { knownCaller } from '../request-info.ts'

/** Maximum bytes of a guest's body. Sign-ins, subscriptions and pairing need far less. */
export const GUEST_BODY_BYTES = 64 << 10
/** Maximum bytes of a guest's body that writes a record, besides files, JSON fields and long texts. */
const GUEST_RECORD_BYTES = 1 << 20
const CHARACTER_BYTES = 6

const RECORDS = /^\/api\/collections\/([^/]+)\/records(?:\/[^/]+)?$/

/** Identifies the sender of a large body before it is read. A guest's must be small. */
export async function judgeSender(c: Ctx, services: Services): Promise<void> {
  const auth = await knownCaller(c, services)
  c.set('asker', auth)
  if (!auth) c.set('guestLimit', guestBodyLimit(c, services))
}

/** Maximum bytes of this request's body if a guest sends it. */
function guestBodyLimit(c: Ctx, services: Services): number {
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

/** Whether a rule may let guests write much. */
const admitsGuests = (rule: string | null) => rule !== null && !rule.includes('@request.auth')

const bytesOf = (field: Collection['fields'][number]) =>
  field.type === 'text' ? (field.max || DEFAULT_MAX_CHARACTERS) * CHARACTER_BYTES : maxBodyBytes(field)
