import { z } from 'zod'
import { limitSignInAttempts } from '../../engine/auth/attempt-limits.ts'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import { makeSignInAttempt } from '../../engine/auth/auth-services.ts'
import {
  confirmFactor,
  readFactor,
  requireFactorCode,
  startFactor,
} from '../../engine/auth/second-factor.ts'
import { makeTotpUrl } from '../../engine/auth/totp.ts'
import { recordAudit } from '../../engine/auth/write-audit-log.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { verifyPassword } from '../../engine/fields/bcrypt.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import { deleteFactors } from '../../engine/records/revoke-sign-ins.ts'
import { allowAuthenticated, allowSuperuser, type HasServices } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { BY_KEYS } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import type { Caller } from '../../http/middleware/require-caller.ts'
import { ACCOUNT_TAG } from '../../http/openapi/describe-operations.ts'
import type { Ctx } from '../../http/request-context.ts'
import { badRequest, forbidden, makeFieldError, notFound } from '../../platform/api-errors.ts'
import { makeGuestHolder } from '../../platform/limits/limit-holder.ts'
import { checkShape, makeRequiredTextSchema } from '../base/body-schemas.ts'
import { SENDER_NAME } from './load-own-account.ts'
import { listRequiring } from './required-factors.ts'

const MAX_BODY_BYTES = 2_000
const MAX_PASSWORD = 255
const MAX_CODE = 100

const PASSWORD = makeRequiredTextSchema(MAX_PASSWORD).describe('The password of the caller.')
const CODE = makeRequiredTextSchema(MAX_CODE)
const START = z.object({ password: PASSWORD }).meta({ id: 'FactorStart' })
const CONFIRM = z
  .object({ code: CODE.describe('The code that the app shows.') })
  .meta({ id: 'FactorCode' })
const REMOVE = z
  .object({ password: PASSWORD, code: CODE.describe('A code of the app, or a recovery code.') })
  .meta({ id: 'FactorRemoval' })

const REQUIRING = z
  .object({ name: SENDER_NAME, from: INSTANT.describe('From when.') })
  .meta({ id: 'RequiringAccount' })
const FACTOR = z
  .object({
    enabled: z.boolean().describe('Whether a sign-in asks for a code of the app.'),
    since: z.union([INSTANT, z.literal('')]).describe('When it was set up.'),
    recovery_codes: z.int().min(0).describe('How many recovery codes are left.'),
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
      .describe('Ten codes, each of which replaces a code of the app once. Shown this once.'),
  })
  .meta({ id: 'RecoveryCodes' })

type Call = Caller & HasServices

/** Throws 403 for devices and for collections whose records sign in without a password. */
function requirePasswordHolder({ auth }: Call): void {
  if (!(auth.collection as AuthCollection).passwordAuth.enabled)
    throw forbidden('A second factor is for people who sign in with a password.')
}

const WRONG = makeFieldError('validation_invalid_password', 'This is not your password')

/** Throws 400 for a wrong password, 429 after too many. Wrong ones count as those of sign-ins. */
async function requirePassword(
  { auth, store, services }: Call,
  c: Ctx,
  password: string,
): Promise<void> {
  const { ip } = c.env.incoming
  const collection = auth.collection as AuthCollection
  const attempt = makeSignInAttempt({ store, services, collection, ip }, auth.id)
  await limitSignInAttempts(attempt, async () => {
    const hash = String(auth.values.password)
    if (!(await verifyPassword(password, hash, makeGuestHolder(ip))))
      throw badRequest('Failed to authenticate.', { password: WRONG })
  })
}

const auditFactor = ({ auth, store }: Call, c: Ctx, action: string) =>
  recordAudit(
    store.db,
    { auth, ip: c.env.incoming.ip },
    { action, collection: auth.collection.name, record: auth.id },
  )

/** `/api/account/second-factor`: authenticator app and recovery codes of a user or superuser. */
export const SECOND_FACTOR_ROUTES = makeRoutes(ACCOUNT_TAG, {
  'GET /api/account/second-factor': {
    permission: allowAuthenticated(),
    bound: { cost: 'memberships', by: '1,000 memberships' },
    describe: {
      id: 'readSecondFactor',
      summary: 'See the second factor',
      description: 'Whether the sign-ins of the caller ask for a code of an authenticator app.',
      answer: ['The second factor.', FACTOR],
    },
    async run({ auth, store, services }) {
      requirePasswordHolder({ auth, store, services })
      const { since, recoveryCodes } = await readFactor(store.db, auth)
      const required = auth.collection.id === USERS_ID ? await listRequiring(store.db, auth.id) : []
      return { enabled: since !== '', since, recovery_codes: recoveryCodes, required_by: required }
    },
  },
  'POST /api/account/second-factor': {
    permission: allowAuthenticated(),
    maxBytes: MAX_BODY_BYTES,
    bound: BY_KEYS,
    describe: {
      id: 'startSecondFactor',
      summary: 'Set up an authenticator app',
      description:
        'Make a secret for an authenticator app. Sign-ins ask for a code once one was confirmed. A second request makes another secret.',
      body: [START],
      answer: ['The secret, for the app.', STARTED],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { password } = checkShape(START, await readJsonBody(c))
      await requirePassword(call, c, password)
      const { auth, store, services } = call
      const secret = await startFactor(store.db, auth)
      const { appName } = readMailSender(services)
      c.header('cache-control', 'no-store')
      return { secret, url: makeTotpUrl(secret, appName, String(auth.values.email || auth.id)) }
    },
  },
  'POST /api/account/second-factor/confirm': {
    permission: allowAuthenticated(),
    maxBytes: MAX_BODY_BYTES,
    bound: BY_KEYS,
    describe: {
      id: 'confirmSecondFactor',
      summary: 'Confirm the authenticator app',
      description:
        'From now on, a sign-in asks for a code of the app after the password or the OAuth2 provider. Open sessions stay open.',
      body: [CONFIRM],
      answer: ['The recovery codes.', CONFIRMED],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { code } = checkShape(CONFIRM, await readJsonBody(c))
      const codes = await confirmFactor(call.store.db, call.auth, code)
      await auditFactor(call, c, 'add second factor')
      c.header('cache-control', 'no-store')
      return { recovery_codes: codes }
    },
  },
  'POST /api/account/second-factor/remove': {
    permission: allowAuthenticated(),
    maxBytes: MAX_BODY_BYTES,
    bound: BY_KEYS,
    describe: {
      id: 'removeSecondFactor',
      summary: 'Remove the second factor',
      description: 'Sign-ins need no code any more. Recovery codes end.',
      body: [REMOVE],
      answer: ['Removed.'],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { password, code } = checkShape(REMOVE, await readJsonBody(c))
      await requirePassword(call, c, password)
      const { auth, store } = call
      await requireFactorCode(store.db, auth, code)
      await deleteFactors(store, auth.collection, [auth.id])
      await auditFactor(call, c, 'remove second factor')
    },
  },
  'DELETE /api/users/:id/second-factor': {
    permission: allowSuperuser,
    bound: BY_KEYS,
    describe: {
      id: 'removeSecondFactorOfUser',
      summary: 'Remove the second factor of a user',
      description: 'For superusers, if a user has lost the app and the recovery codes.',
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
