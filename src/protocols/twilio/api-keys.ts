import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { apiKeysExtension } from '../../gateway/accounts/api-keys.ts'
import { endCallsOfKeys } from '../../gateway/webhooks/end-calls-of-keys.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { hasSid, makeSid } from './sids.ts'

const NEW_TWILIO_KEY = z.object({
  account_sid: z.string().optional().describe("The user's AccountSid, for a key with `twilio`."),
  auth_token: z
    .string()
    .optional()
    .describe('The key as an AuthToken. Shown this once, for a key with `twilio`.'),
  key_sid: z.string().optional().describe('The SID of the key, for a key with `twilio`.'),
})

const NO_SID = makeFieldError(
  'validation_twilio_user',
  'The id of this user cannot be an AccountSid.',
)
const SCOPED = makeFieldError(
  'validation_twilio_scopes',
  'A key with twilio opens all: give no scopes, or all:any.',
)
const FIXED = makeFieldError('validation_twilio_fixed', 'Can be set only when the key is made.')

/**
 * Rules for API keys, also for Twilio's API. The field `signing` has the SHA-1 of the token: HMAC-SHA1 uses
 * the hash of a key that is longer than 64 bytes (RFC 2104, 2).
 */
export const twilioKeysExtension: Extension = {
  ...apiKeysExtension,
  shownOnce: { ...apiKeysExtension.shownOnce, ...NEW_TWILIO_KEY.shape },
  async beforeCreate(store, values) {
    const made = await apiKeysExtension.beforeCreate(store, values)
    if (values.twilio !== true) return made
    const user = String(values.user)
    if (!hasSid(user)) throw invalidFields({ twilio: NO_SID })
    if (isKeyNarrowed(values.scopes)) throw invalidFields({ scopes: SCOPED })
    values.id ||= makeRandomId()
    return addAuthToken(values, made)
  },
  async beforeUpdate(store, values, old, request) {
    if (values.twilio !== old.twilio) throw invalidFields({ twilio: FIXED })
    if (values.twilio === true && isKeyNarrowed(values.scopes))
      throw invalidFields({ scopes: SCOPED })
    const made = await apiKeysExtension.beforeUpdate(store, values, old, request)
    return made && values.twilio === true ? addAuthToken(values, made) : made
  },
  afterDelete: ({ db }, ids) => endCallsOfKeys(db, ids, KEY_DELETED),
}

/** Sets the signing key in a record, and adds what Twilio's libraries need to the answer. */
function addAuthToken(values: Record<string, Value>, made: { readonly key: string }) {
  const auth_token = made.key.replace('_', '')
  values.signing = createHash('sha1').update(auth_token).digest('hex')
  const account_sid = makeSid('AC', String(values.user))
  return { ...made, account_sid, auth_token, key_sid: makeSid('SK', String(values.id)) }
}

/**
 * Whether scopes limit a key. Twilio's API checks no scopes, so there such a key could do more than it may.
 */
const isKeyNarrowed = (scopes: Value | undefined): boolean =>
  Array.isArray(scopes) && scopes.length > 0 && scopes.join() !== 'all:any'

export const KEY_DELETED = 'The API key of this callback was deleted'
