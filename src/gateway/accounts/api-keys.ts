import { z } from 'zod'
import { completeAddresses } from '../../engine/auth/allowed-addresses.ts'
import { hashSha256 } from '../../engine/auth/tokens.ts'
import type { Value } from '../../engine/fields/field.ts'
import { formatDate, formatNow } from '../../engine/fields/parse-date.ts'
import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { requireOwnRecord } from '../../engine/records/require-own.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { readDestination } from '../../portable/phone/number-patterns.ts'
import { completeList } from '../base/complete-numbers.ts'

const PREFIX = 'psk_'
/**
 * Makes keys longer than HMAC's block of 64 bytes. HMAC replaces such keys by their hash, so the stored hash
 * can sign webhook calls in Twilio's form.
 */
const RANDOM_LENGTH = 64
/** Characters of a key that its owner can still see later, to recognize it. */
const VISIBLE_LENGTH = PREFIX.length + 6
const PREVIOUS = ['prefix', 'hash', 'signing'] as const
const USED = { last_used_at: '', last_used_ip: '', last_used_prefix: '' }
const SET_BY_SERVER = [
  ...Object.keys(USED),
  ...PREVIOUS.map((field) => `previous_${field}`),
  'hash',
  'signing',
]

const NEW_KEY = z.object({
  key: z
    .string()
    .describe(
      'The key itself, for `X-API-Key`. Only the answer that makes or replaces a secret has it.',
    ),
})

/** How long the old secret of a rotated key stays valid, unless the request sets `previous_until`. */
const PREVIOUS_MS = 86_400_000

/**
 * Makes the secret of a new API key, and a new secret when an update empties `prefix`. Only the answers to
 * these two requests contain it, as `key`; the database has its SHA-256.
 */
export const apiKeysExtension = makeStrictExtension({
  grantsAccess: true,
  setByServer: SET_BY_SERVER,
  shownOnce: NEW_KEY.shape,
  async beforeCreate(store, values) {
    for (const field of [...SET_BY_SERVER, 'previous_until']) values[field] = ''
    completeAddresses(values)
    await completeList(store, values, 'destinations', readDestination)
    await requireOwnRecord(store, 'lines', values)
    return makeKeySecret(values)
  },
  async beforeUpdate(store, values, old, { body }) {
    completeAddresses(values)
    await completeList(store, values, 'destinations', readDestination, old)
    await requireOwnRecord(store, 'lines', values, old)
    const isRotated = values.prefix === ''
    for (const field of ['prefix', ...SET_BY_SERVER]) values[field] = old[field] ?? ''
    const isPreviousValid = String(old.previous_until) > formatNow()
    if (isRotated) {
      if (!('previous_until' in body))
        values.previous_until = formatDate(new Date(Date.now() + PREVIOUS_MS))
      // with two valid secrets, the one that was used last stays valid beside the new one
      const staysPrevious = isPreviousValid && old.last_used_prefix !== old.prefix
      if (!staysPrevious)
        for (const field of PREVIOUS) values[`previous_${field}`] = old[field] ?? ''
    }
    // an update of `previous_until` cannot revive an old secret that has expired
    const isEnded =
      !(isRotated || isPreviousValid) || !(String(values.previous_until) > formatNow())
    if (isEnded) for (const field of [...PREVIOUS, 'until']) values[`previous_${field}`] = ''
    return isRotated ? makeKeySecret(values) : undefined
  },
})

function makeKeySecret(values: Record<string, Value>): z.output<typeof NEW_KEY> {
  const key = PREFIX + makeRandomText(RANDOM_LENGTH)
  Object.assign(values, { prefix: key.slice(0, VISIBLE_LENGTH), hash: hashSha256(key) })
  return { key }
}
