import { z } from 'zod'
import { makeAuthAttempt } from '../../engine/auth/auth-services.ts'
import type { InSameTransaction } from '../../engine/auth/change-auth-record.ts'
import { requireSignature } from '../../engine/auth/passkeys.ts'
import { readProofState } from '../../engine/auth/proof-state.ts'
import { hasFactor, requireFactorCode } from '../../engine/auth/second-factor.ts'
import { limitSignInAttempts } from '../../engine/auth/sign-in-limits.ts'
import { findProof } from '../../engine/auth/sign-in-sessions.ts'
import { type AuthenticationResponseJSON, requirePasskeySite } from '../../engine/auth/webauthn.ts'
import { recordAudit } from '../../engine/auth/write-audit-log.ts'
import type { AuthCollection } from '../../engine/collections/collection.ts'
import { verifyPassword } from '../../engine/fields/bcrypt.ts'
import type { HasServices } from '../../http/allow-callers.ts'
import type { Caller } from '../../http/middleware/require-caller.ts'
import type { Ctx } from '../../http/request-context.ts'
import { badRequest, forbidden, makeFieldError } from '../../platform/api-errors.ts'
import { makeGuestHolder } from '../../platform/limits/limit-holder.ts'
import { makeRequiredTextSchema, makeTextSchema } from '../base/body-schemas.ts'

export type FactorCall = Caller & HasServices

const MAX_PASSWORD = 255
const MAX_CODE = 100
const MAX_ID = 2_000
const MAX_PART = 20_000

const part = makeRequiredTextSchema(MAX_PART)

/** The common parts of what a browser's `PublicKeyCredential.toJSON()` returns. Others are not read. */
const CREDENTIAL = {
  id: makeRequiredTextSchema(MAX_ID),
  rawId: makeRequiredTextSchema(MAX_ID),
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
}

/** A browser's answer to options for a signature. */
export const SIGNATURE = z
  .object({
    ...CREDENTIAL,
    response: z.object({
      clientDataJSON: part,
      authenticatorData: part,
      signature: part,
      userHandle: makeTextSchema(MAX_ID).nullish(),
    }),
  })
  .meta({ id: 'PasskeySignature' })

/** A browser's answer to options for a new passkey. */
export const CREATION = z
  .object({
    ...CREDENTIAL,
    response: z.object({
      clientDataJSON: part,
      attestationObject: part,
      transports: z.array(makeTextSchema(MAX_CODE)).max(10).optional(),
    }),
  })
  .meta({ id: 'PasskeyCreation' })

export const PASSWORD = makeRequiredTextSchema(MAX_PASSWORD).describe('The password of the caller.')
export const CODE = makeRequiredTextSchema(MAX_CODE)

/** How a signed-in person proves who they are before a second factor changes. */
export const PROOF = z
  .object({
    password: PASSWORD.optional().describe(
      'The password of the caller. Not needed where the answer of `GET /api/account/second-factor` is `fresh`.',
    ),
    code: CODE.optional().describe('A code of the app, or a recovery code.'),
    passkey: SIGNATURE.optional().describe(
      'Instead of the code: the signature of a passkey, by options of `POST /api/account/passkeys/challenge`.',
    ),
  })
  .meta({ id: 'FactorProof' })

/** Throws 403 for devices and for collections whose records sign in without a password. */
export function requirePasswordHolder({ auth }: FactorCall): void {
  if (!(auth.collection as AuthCollection).passwordAuth.enabled)
    throw forbidden('A second factor is for people who sign in with a password.')
}

const WRONG = makeFieldError('validation_invalid_password', 'This is not your password')

/** Throws 400 for a wrong password, 429 after too many. Wrong ones count as those of sign-ins. */
export async function requirePassword(
  { auth, store, services }: FactorCall,
  c: Ctx,
  password: string,
): Promise<void> {
  const { ip } = c.env.incoming
  const collection = auth.collection as AuthCollection
  const attempt = makeAuthAttempt({ store, services, collection, ip }, auth.id)
  await limitSignInAttempts(attempt, async () => {
    const hash = String(auth.values.password)
    if (!(await verifyPassword(password, hash, makeGuestHolder(ip))))
      throw badRequest('Failed to authenticate.', { password: WRONG })
  })
}

const NEEDED = makeFieldError('validation_required', 'Cannot be blank.')

/**
 * Whether the caller has just signed in by an OAuth2 provider, or with two proofs. That replaces the
 * password, which people whose provider knows them may not have.
 */
export const hasFreshSignIn = async ({ auth, store }: FactorCall, c: Ctx): Promise<boolean> =>
  (await findProof(store.db, auth, c.env.incoming.token)).isFresh

/**
 * Requires the caller's password, or a fresh sign-in by a provider, and, if there is a second factor, a proof
 * of that: an old session alone, or a password alone, must not change it. Returns the `readProofState` from
 * before the proof, for what the person begins. Throws 400, 429.
 */
export async function requireProof(
  call: FactorCall,
  c: Ctx,
  { password, code, passkey }: z.output<typeof PROOF>,
): Promise<string> {
  const { auth, store, services } = call
  const state = await readProofState(store.db, auth)
  if (password !== undefined) await requirePassword(call, c, password)
  else if (!(await hasFreshSignIn(call, c)))
    throw badRequest('Failed to authenticate.', { password: NEEDED })
  if (!(await hasFactor(store.db, auth))) return state
  if (passkey) {
    const site = requirePasskeySite(services.config.publicUrl)
    await requireSignature(store.db, site, passkey as AuthenticationResponseJSON, 'prove', auth)
  } else if (code) await requireFactorCode(store.db, auth, code)
  else throw badRequest('Failed to authenticate.', { code: NEEDED })
  return state
}

/** Returns a function that audits a change of second factors in its transaction. */
export const auditFactor =
  (c: Ctx, action: string): InSameTransaction =>
  (db, auth) =>
    recordAudit(
      db,
      { auth, ip: c.env.incoming.ip },
      { action, collection: auth.collection.name, record: auth.id },
    )
