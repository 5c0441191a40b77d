import { z } from 'zod'
import { findStartingPerson } from '../../engine/auth/check-mfa.ts'
import { askAnybody, askPerson } from '../../engine/auth/passkeys.ts'
import { authWithPasskey } from '../../engine/auth/sign-in-with-passkey.ts'
import { type AuthenticationResponseJSON, requirePasskeySite } from '../../engine/auth/webauthn.ts'
import { allowByRules } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { readRequestBody } from '../../http/body/read-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { requireAuthCollection } from '../../http/middleware/require-caller.ts'
import { answerSignInCall } from '../../http/routes/answer-with-token.ts'
import { toNetwork } from '../../platform/limits/limit-holder.ts'
import { checkShape, makeTextSchema } from '../base/body-schemas.ts'
import { OPTIONS, PASSKEY_BYTES } from './passkey-routes.ts'
import { SIGNATURE } from './prove-person.ts'

const MAX_ID = 100

const MFA_ID = makeTextSchema(MAX_ID).optional().describe('Of the method before, if there was one.')
const SIGN_IN_OPTIONS = z.object({ mfaId: MFA_ID }).meta({ id: 'PasskeySignInOptions' })
const SIGN_IN = z.object({ mfaId: MFA_ID, credential: SIGNATURE }).meta({ id: 'PasskeySignIn' })
const SIGNED_IN = z
  .object({ record: z.record(z.string(), z.unknown()), token: z.string() })
  .meta({ id: 'SignedIn' })

const OF_SIGN_IN: Bound = {
  cost: 'passkeys of a person',
  by: '20 passkeys; 60 challenges of a network in 5 min; limits of sign-ins',
}

/** Signing in by a passkey, to the collection in the path. */
export const PASSKEY_SIGN_IN_ROUTES = makeRoutes('account', {
  'POST /api/collections/:collection/passkey-options': {
    permission: allowByRules('viewer'),
    maxBytes: PASSKEY_BYTES,
    bound: OF_SIGN_IN,
    describe: {
      id: 'startPasskeySignIn',
      summary: 'Begin a sign-in by a passkey',
      description:
        'Without `mfaId`, any passkey of the host signs in by itself. With it, a passkey of the person who began is the second method.',
      body: [SIGN_IN_OPTIONS, {}],
      answer: ['What the browser needs.', OPTIONS],
      fails: [400, 404, 413, 429],
    },
    async run({ services }, c) {
      const collection = requireAuthCollection(c, services)
      const { mfaId = '' } = checkShape(SIGN_IN_OPTIONS, await readJsonBody(c))
      const site = requirePasskeySite(services.config.publicUrl)
      const store = services.store.signIn
      c.header('cache-control', 'no-store')
      if (mfaId === '') return askAnybody(store.db, site, toNetwork(c.env.incoming.ip))
      const person = await findStartingPerson(store, collection, mfaId)
      return askPerson(store.db, person, site, 'second')
    },
  },
  'POST /api/collections/:collection/auth-with-passkey': {
    permission: allowByRules('viewer'),
    maxBytes: PASSKEY_BYTES,
    bound: OF_SIGN_IN,
    describe: {
      id: 'signInByPasskey',
      summary: 'Sign in by a passkey',
      description:
        'A passkey alone signs in: the authenticator has asked for a PIN, a finger or a face.',
      body: [SIGN_IN],
      answer: ['The record and a token, as of other sign-ins.', SIGNED_IN],
      fails: [400, 404, 413, 429],
    },
    async run({ services }, c) {
      const collection = requireAuthCollection(c, services)
      // read as by other sign-ins, which look for `mfaId` in the body themselves
      const { values } = await readRequestBody(c)
      const { credential, mfaId = '' } = checkShape(SIGN_IN, values)
      return answerSignInCall(c, services, 'password', () =>
        authWithPasskey({
          store: services.store.signIn,
          services,
          collection,
          ip: c.env.incoming.ip,
          readForm: async () => ({ credential: credential as AuthenticationResponseJSON, mfaId }),
        }),
      )
    },
  },
})
