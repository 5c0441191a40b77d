import { z } from 'zod'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import {
  askPerson,
  listPasskeys,
  PASSKEY,
  removePasskey,
  renamePasskey,
  startPasskey,
  storePasskey,
} from '../../engine/auth/passkeys.ts'
import {
  findPasskeySite,
  type RegistrationResponseJSON,
  requirePasskeySite,
} from '../../engine/auth/webauthn.ts'
import { allowAuthenticated } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { checkShape, makeRequiredTextSchema } from '../base/body-schemas.ts'
import {
  auditFactor,
  CREATION,
  PROOF,
  requirePasswordHolder,
  requireProof,
} from './prove-person.ts'

export const PASSKEY_BYTES = 100_000
const MAX_NAME = 100

const NAME = makeRequiredTextSchema(MAX_NAME).describe('How the person calls it.')
const NEW = z.object({ name: NAME, credential: CREATION }).meta({ id: 'PasskeyForm' })
const RENAMED = z.object({ name: NAME }).meta({ id: 'PasskeyName' })
const PASSKEYS = z
  .object({
    host: z
      .string()
      .describe('Where passkeys are valid: the host of `PUBLIC_URL`; empty: nowhere.'),
    items: z.array(PASSKEY),
  })
  .meta({ id: 'Passkeys' })
const ADDED = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe('Ten codes, shown this once, if it is the first second factor; else empty.'),
  })
  .meta({ id: 'PasskeyAdded' })
export const OPTIONS = z
  .record(z.string(), z.unknown())
  .describe('JSON for `PublicKeyCredential.parse…OptionsFromJSON` of a browser.')
  .meta({ id: 'PasskeyOptions' })

const OF_PERSON: Bound = { cost: 'passkeys', by: '20 passkeys of a person; 20 challenges in 5 min' }
/** `/api/account/passkeys`: passkeys of users and superusers. */
export const PASSKEY_ROUTES = makeRoutes('account', {
  'GET /api/account/passkeys': {
    permission: allowAuthenticated(),
    bound: OF_PERSON,
    describe: {
      id: 'listPasskeys',
      summary: 'List the passkeys of the caller',
      answer: ['The passkeys, the oldest first.', PASSKEYS],
    },
    async run(call) {
      requirePasswordHolder(call)
      const { auth, store, services } = call
      const host = findPasskeySite(services.config.publicUrl)?.host ?? ''
      return { host, items: await listPasskeys(store.db, auth) }
    },
  },
  'POST /api/account/passkeys/challenge': {
    permission: allowAuthenticated(),
    bound: OF_PERSON,
    describe: {
      id: 'askPasskey',
      summary: 'Ask for a signature of a passkey',
      description: 'For a person who is signed in: the signature allows to change second factors.',
      answer: ['What the browser needs.', OPTIONS],
      fails: [400, 401, 429],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { auth, store, services } = call
      c.header('cache-control', 'no-store')
      return askPerson(store.db, auth, requirePasskeySite(services.config.publicUrl), 'prove')
    },
  },
  'POST /api/account/passkeys/options': {
    permission: allowAuthenticated(),
    maxBytes: PASSKEY_BYTES,
    bound: OF_PERSON,
    describe: {
      id: 'startPasskey',
      summary: 'Begin a new passkey',
      description:
        'Needs the password, and from somebody with a second factor also a code or the signature of another passkey.',
      body: [PROOF],
      answer: ['What the browser needs.', OPTIONS],
      fails: [400, 401, 413, 429],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { auth, store, services } = call
      const proof = checkShape(PROOF, await readJsonBody(c))
      const site = requirePasskeySite(services.config.publicUrl)
      const state = await requireProof(call, c, proof)
      c.header('cache-control', 'no-store')
      return startPasskey(store.db, auth, state, site, readMailSender(services).appName)
    },
  },
  'POST /api/account/passkeys': {
    permission: allowAuthenticated(),
    maxBytes: PASSKEY_BYTES,
    bound: 'keys',
    describe: {
      id: 'addPasskey',
      summary: 'Store a new passkey',
      description:
        'From now on, sign-ins with a password or by an OAuth2 provider ask for a second factor. Open sessions stay open.',
      body: [NEW],
      answer: ['Stored.', ADDED],
      fails: [400, 401, 413],
    },
    async run(call, c) {
      requirePasswordHolder(call)
      const { auth, store, services } = call
      const { name, credential } = checkShape(NEW, await readJsonBody(c))
      const site = requirePasskeySite(services.config.publicUrl)
      const made = credential as RegistrationResponseJSON
      const noted = auditFactor(c, 'add passkey')
      const codes = await storePasskey(store, auth, site, name, made, noted)
      c.header('cache-control', 'no-store')
      return { recovery_codes: codes }
    },
  },
  'PATCH /api/account/passkeys/:id': {
    permission: allowAuthenticated(),
    maxBytes: PASSKEY_BYTES,
    bound: 'keys',
    describe: {
      id: 'renamePasskey',
      summary: 'Rename a passkey',
      body: [RENAMED, { name: 'My phone' }],
      answer: ['Renamed.'],
      fails: [400, 401, 404, 413],
    },
    async run(call, c, id) {
      requirePasswordHolder(call)
      const { name } = checkShape(RENAMED, await readJsonBody(c))
      await renamePasskey(call.store.db, call.auth, id, name)
    },
  },
  'POST /api/account/passkeys/:id/remove': {
    permission: allowAuthenticated(),
    maxBytes: PASSKEY_BYTES,
    bound: OF_PERSON,
    describe: {
      id: 'removePasskey',
      summary: 'Remove a passkey',
      description:
        'Needs the password, and a code or a passkey. After the last second factor, sign-ins need none any more, and recovery codes end.',
      body: [PROOF],
      answer: ['Removed.'],
      fails: [400, 401, 404, 413],
    },
    async run(call, c, id) {
      requirePasswordHolder(call)
      await requireProof(call, c, checkShape(PROOF, await readJsonBody(c)))
      await removePasskey(call.store, call.auth, id, auditFactor(c, 'remove passkey'))
    },
  },
})
