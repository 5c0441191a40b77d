import { z } from 'zod'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import { confirmFactor, removeApp, startFactor } from '../../engine/auth/authenticator-app.ts'
import { readFactor } from '../../engine/auth/second-factor.ts'
import { makeTotpUrl } from '../../engine/auth/totp.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import { deleteFactors } from '../../engine/records/revoke-sign-ins.ts'
import { allowAuthenticated, allowSuperuser } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import { badRequest, notFound } from '../../platform/api-errors.ts'
import { checkShape } from '../base/body-schemas.ts'
import { SENDER_NAME } from './load-own-account.ts'
import {
  auditFactor,
  CODE,
  hasFreshSignIn,
  PROOF,
  requirePasswordHolder,
  requireProof,
} from './prove-person.ts'
import { listRequiring } from './required-factors.ts'

const MAX_BODY_BYTES = 100_000

const CONFIRM = z
  .object({ code: CODE.describe('The code that the app shows.') })
  .meta({ id: 'FactorCode' })

const REQUIRING = z
  .object({ name: SENDER_NAME, from: INSTANT.describe('From when.') })
  .meta({ id: 'RequiringAccount' })
const FACTOR = z
  .object({
    enabled: z.boolean().describe('Whether a sign-in asks for a second factor.'),
    app: z.boolean().describe('Whether that may be a code of an authenticator app.'),
    passkeys: z.boolean().describe('Whether that may be a passkey.'),
    since: INSTANT_OR_EMPTY.describe('When the first one was set up.'),
    recovery_codes: z.int().min(0).describe('How many recovery codes are left.'),
    fresh: z
      .boolean()
      .describe(
        'Whether changes need no password now: the sign-in, by an OAuth2 provider or with two proofs, was within the last ten minutes.',
      ),
    required_by: z.array(REQUIRING).describe('Accounts of the caller that require one.'),
  })
  .meta({ id: 'SecondFactor' })
const STARTED = z
  .object({
    secret: z.string().describe('In base32, for an app that reads no QR code.'),
    url: z.string().describe('`otpauth://…`, the text of the QR code.'),
  })
  .meta({ id: 'FactorSecret' })
const CONFIRMED = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe('Ten codes, each of which replaces a second factor once. Shown this once.'),
  })
  .meta({ id: 'RecoveryCodes' })

/** `/api/account/second-factor`: second factors and the authenticator app of a user or superuser. */
export const SECOND_FACTOR_ROUTES = makeRoutes('account', {
  'GET /api/account/second-factor': {
    permission: allowAuthenticated(),
    bound: { cost: 'memberships', by: '1,000 memberships' },
    describe: {
      id: 'readSecondFactor',
      summary: 'See the second factor',
      description: 'Whether the sign-ins of the caller ask for a second factor, and which.',
      answer: ['The second factor.', FACTOR],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { auth, store } = call
      const { since, hasApp, hasPasskey, recoveryCodes } = await readFactor(store.db, auth)
      return {
        enabled: since !== '',
        app: hasApp,
        passkeys: hasPasskey,
        since,
        recovery_codes: recoveryCodes,
        fresh: await hasFreshSignIn(call, c),
        required_by: auth.collection.id === USERS_ID ? await listRequiring(store.db, auth.id) : [],
      }
    },
  },
  'POST /api/account/second-factor': {
    permission: allowAuthenticated(),
    maxBytes: MAX_BODY_BYTES,
    bound: 'keys',
    describe: {
      id: 'startSecondFactor',
      summary: 'Set up an authenticator app',
      description:
        'Make a secret for an authenticator app. Sign-ins ask for a code once one was confirmed. A second request makes another secret. Somebody with a passkey also sends a recovery code or a signature of the passkey.',
      body: [PROOF],
      answer: ['The secret, for the app.', STARTED],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const state = await requireProof(call, c, checkShape(PROOF, await readJsonBody(c)))
      const { auth, store, services } = call
      const secret = await startFactor(store.db, auth, state)
      const { appName } = readMailSender(services)
      c.header('cache-control', 'no-store')
      return { secret, url: makeTotpUrl(secret, appName, String(auth.values.email || auth.id)) }
    },
  },
  'POST /api/account/second-factor/confirm': {
    permission: allowAuthenticated(),
    maxBytes: MAX_BODY_BYTES,
    bound: 'keys',
    describe: {
      id: 'confirmSecondFactor',
      summary: 'Confirm the authenticator app',
      description:
        'From now on, a sign-in asks for a code of the app after the password or the OAuth2 provider. Open sessions stay open. Earlier recovery codes end.',
      body: [CONFIRM],
      answer: ['The recovery codes.', CONFIRMED],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { code } = checkShape(CONFIRM, await readJsonBody(c))
      const noted = auditFactor(c, 'add second factor')
      const codes = await confirmFactor(call.store, call.auth, code, noted)
      c.header('cache-control', 'no-store')
      return { recovery_codes: codes }
    },
  },
  'POST /api/account/second-factor/remove': {
    permission: allowAuthenticated(),
    maxBytes: MAX_BODY_BYTES,
    bound: 'keys',
    describe: {
      id: 'removeSecondFactor',
      summary: 'Remove the authenticator app',
      description:
        'Needs the password, and a code or a passkey. Without a passkey, sign-ins need no second factor any more, and recovery codes end.',
      body: [PROOF],
      answer: ['Removed.'],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { auth, store } = call
      const proof = checkShape(PROOF, await readJsonBody(c))
      if (!(await readFactor(store.db, auth)).hasApp)
        throw badRequest('You have no authenticator app.')
      await requireProof(call, c, proof)
      await removeApp(store, auth, auditFactor(c, 'remove second factor'))
    },
  },
  'DELETE /api/users/:id/second-factor': {
    permission: allowSuperuser,
    bound: 'keys',
    describe: {
      id: 'removeSecondFactorOfUser',
      summary: 'Remove the second factor of a user',
      description:
        'For superusers, if a user has lost the app, the passkeys and the recovery codes: removes all of them.',
      answer: ['Removed.'],
      fails: [401, 404],
    },
    async run({ auth, store }, c, id) {
      const users = store.catalog.find(USERS_ID)!
      await store.db.transaction(async (db) => {
        const inside = { db, catalog: store.catalog }
        if ((await deleteFactors(inside, users, [id])) === 0) throw notFound()
        const entry = { action: 'remove second factor', collection: users.name, record: id }
        await auditRequest(c, auth, entry, db)
      })
    },
  },
})
