import { z } from 'zod'
import { changeAuthRecord } from '../../engine/auth/change-auth-record.ts'
import { endSession } from '../../engine/auth/end-session.ts'
import { endLinks, LINK, listLinks } from '../../engine/auth/oauth2/provider-links.ts'
import { hasPasskeys } from '../../engine/auth/passkeys.ts'
import { findProof, listSessions, SESSION, startSession } from '../../engine/auth/sessions.ts'
import { listSuperusers } from '../../engine/auth/superusers.ts'
import { readClaims } from '../../engine/auth/tokens.ts'
import { findPasskeySite } from '../../engine/auth/webauthn.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import {
  allowAuthenticated,
  allowEverybody,
  allowRole,
  type HasServices,
} from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { type Bound, BY_KEYS } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import { answerOwnRecord, type Caller } from '../../http/middleware/require-caller.ts'
import { ACCOUNT_TAG } from '../../http/openapi/describe-operations.ts'
import type { Ctx } from '../../http/request-context.ts'
import { GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { badRequest, forbidden, makeFieldError, notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { checkShape, makeTextSchema } from '../base/body-schemas.ts'
import { loadVapidKeys, SUBSCRIPTION } from '../lines/web-push.ts'
import {
  endBrowsers,
  listBrowsers,
  PUSH_BROWSER,
  saveBrowser,
  toBrowserOwner,
} from '../notifications/push-browsers.ts'
import { loadNextDeletions, NEXT_DELETIONS } from '../retention/next-deletions.ts'
import { listActingSessions } from './act-for.ts'
import { PASSWORD, requirePassword } from './prove-person.ts'

/** Audits a superuser's changes to its sessions. Those of other callers are not audited. */
async function auditAction(c: Ctx, auth: AuthRecord, action: string, db?: Db): Promise<void> {
  const entry = { action, collection: auth.collection.name, record: auth.id }
  if (auth.isSuperuser) await auditRequest(c, auth, entry, db)
}

/** The session of a request; undefined if it is not listed. */
async function findCurrentSession(db: Db, auth: AuthRecord, c: Ctx) {
  const sessions = await listSessions(db, auth, c.env.incoming.token)
  return sessions.find(({ current }) => current)
}

const MAX_LINKS = 100
const MAX_LINK = 100
const END_OTHERS = z
  .object({
    links: z
      .array(makeTextSchema(MAX_LINK))
      .max(MAX_LINKS)
      .default([])
      .describe(
        'Ids of links to providers that end, too, as `GET /api/account/sessions` lists them.',
      ),
    password: PASSWORD.optional().describe(
      'The password of the caller, to end all links where the caller may have signed in by one of them.',
    ),
  })
  .meta({ id: 'EndOtherSessions' })

/** Sign-ins after which a person needs no link to a provider: they can sign in the same way again. */
const WITHOUT_LINK: readonly string[] = ['password', 'otp', 'passkey']
const KEEP_ONE = makeFieldError(
  'validation_required',
  'Enter your password, or keep a link by which you sign in.',
)

/** The links that the body names, if there is one. Throws 404, and 400 without another way to sign in. */
async function readEndOthers(
  call: Caller & HasServices,
  c: Ctx,
  method: string,
): Promise<readonly string[]> {
  const isEmpty = c.env.incoming.bodyLength === 0
  const { links, password } = checkShape(END_OTHERS, isEmpty ? {} : await readJsonBody(c))
  if (links.length === 0) return []
  const known = (await listLinks(call.store.db, call.auth)).map(({ id }) => id)
  if (links.some((id) => !known.includes(id))) throw notFound()
  const isLast = known.every((id) => links.includes(id)) && !WITHOUT_LINK.includes(method)
  if (isLast && password === undefined)
    throw badRequest('Failed to sign out.', { password: KEEP_ONE })
  if (isLast && password !== undefined) await requirePassword(call, c, password)
  return links
}

async function endOtherSessions(call: Caller & HasServices, c: Ctx): Promise<string> {
  const { auth: asking, store, services } = call
  // a token that cannot be refreshed must not be exchanged for one that can
  if (!readClaims(c.env.incoming.token)?.refreshable)
    throw forbidden('This session cannot be renewed.')
  const origin = {
    ip: c.env.incoming.ip,
    userAgent: c.env.incoming.headers['user-agent'] ?? '',
  }
  const { method, provenAt } = await findProof(store.db, asking, c.env.incoming.token)
  const links = await readEndOthers(call, c, method)
  const auth = await changeAuthRecord(
    store,
    services.extensions,
    asking,
    { endsTokens: true },
    'Failed to sign out.',
    async (db) => {
      await endLinks({ db, catalog: store.catalog }, asking, links)
      await auditAction(c, asking, 'end other sessions', db)
    },
  )
  const token = await startSession(store.db, auth, origin, method, provenAt)
  return `{"record":${await answerOwnRecord(c, store, auth)},"token":${JSON.stringify(token)}}`
}

const SETUP = z
  .object({
    has_superuser: z.boolean().describe('False until the first superuser exists.'),
    sends_mail: z
      .boolean()
      .describe('False while no mail server is set: then mails go to the log.'),
    passkey_host: z
      .string()
      .describe('The host at which people sign in by passkeys; empty while nobody has one for it.'),
  })
  .meta({ id: 'Setup' })

const OF_SESSIONS: Bound = { cost: 'sessions', by: '50 sessions of an account, and 50 of members' }
const OF_BROWSERS: Bound = { cost: 'browsers', by: '20 browsers of a person' }

/** `/api/account`: sessions and notifications. `/api/setup`: what a sign-in page needs. */
export const ACCOUNT_ROUTES = makeRoutes(ACCOUNT_TAG, {
  'GET /api/account/sessions': {
    permission: allowAuthenticated(),
    bound: OF_SESSIONS,
    describe: {
      id: 'listSessions',
      summary: 'List where the account is signed in',
      description:
        'List where the account that asks is signed in: its 50 latest sign-ins, the last used first. Then up to 50 sessions in which members act for it: these end with the membership, or when the member ends them.',
      answer: [
        'The sessions.',
        z
          .object({
            items: z.array(SESSION),
            links: z
              .array(LINK)
              .describe('Accounts at OAuth2 providers that sign in to the account.'),
          })
          .meta({ id: 'Sessions' }),
      ],
    },
    run: async ({ auth, store }, c) => {
      const own = await listSessions(store.db, auth, c.env.incoming.token)
      const isUser = auth.collection.id === USERS_ID
      const acting = isUser ? await listActingSessions(store.db, auth.id) : []
      return { items: [...own, ...acting], links: await listLinks(store.db, auth) }
    },
  },
  'DELETE /api/account/sessions/:id': {
    permission: allowAuthenticated(),
    bound: OF_SESSIONS,
    describe: {
      id: 'endSession',
      summary: 'End one session',
      description:
        'Its tokens, including refreshed ones, are refused from now on; the id `current` is the session of this request. All event streams of the account are closed; other sessions can open theirs again.',
      answer: ['Ended.'],
      fails: [401, 404],
    },
    run: async ({ auth, store }, c, id) => {
      const current = id === 'current' ? await findCurrentSession(store.db, auth, c) : undefined
      await endSession(store, auth, current?.id ?? id, (db) =>
        auditAction(c, auth, 'end session', db),
      )
    },
  },
  'POST /api/account/end-other-sessions': {
    permission: allowAuthenticated(),
    maxBytes: GUEST_BODY_BYTES,
    bound: OF_SESSIONS,
    describe: {
      id: 'endOtherSessions',
      summary: 'Sign out everywhere else',
      description:
        'End all tokens of the account that asks, impersonations and links of mails included, and those links to OAuth2 providers that the request names: all others still sign in. The answer has a token to go on with.',
      body: [END_OTHERS, {}],
      answer: [
        'The account and its new token.',
        z
          .object({ record: z.record(z.string(), z.unknown()), token: z.string() })
          .meta({ id: 'Renewed' }),
      ],
      fails: [400, 401, 404, 413],
    },
    run: endOtherSessions,
  },
  'GET /api/account/retention': {
    permission: allowRole('admin'),
    bound: {
      cost: "the account's oldest texts with content and files, its members of groups with days of their own, its entries of consent",
      by: '10,000 texts of each kind, 100 groups, 100 texts of each member; turns',
    },
    describe: {
      id: 'readRetention',
      summary: 'See what the server deletes next',
      description:
        'List how long the account keeps texts, files and consents, and when the server deletes the next of them. `user_settings` and `contact_groups` have the days.',
      answer: ['The days, and the next deletion of each kind.', NEXT_DELETIONS],
    },
    run: ({ user, store, services: { config } }) =>
      loadNextDeletions(store.db, user, config.retention),
  },
  'GET /api/account/push-key': {
    permission: allowRole('viewer'),
    bound: BY_KEYS,
    describe: {
      id: 'readAccountPushKey',
      summary: "Read the server's VAPID key",
      description: 'For the Web Push subscription of a browser (RFC 8292).',
      answer: [
        'The public key, in base64url.',
        z.object({ key: z.string() }).meta({ id: 'AccountPushKey' }),
      ],
    },
    changes: true,
    run: async ({ store }) => ({ key: (await loadVapidKeys(store)).publicKey }),
  },
  'GET /api/account/push': {
    permission: allowRole('viewer'),
    bound: OF_BROWSERS,
    describe: {
      id: 'listPushBrowsers',
      summary: 'List browsers that show notifications',
      description:
        'List the browsers in which the person is notified of new texts, the newest first; at most 20. A member who acts for an account has separate browsers there.',
      answer: [
        'The browsers.',
        z.object({ items: z.array(PUSH_BROWSER) }).meta({ id: 'PushBrowsers' }),
      ],
    },
    run: async ({ auth, store }) => ({ items: await listBrowsers(store.db, toBrowserOwner(auth)) }),
  },
  'PUT /api/account/push': {
    permission: allowRole('viewer'),
    maxBytes: GUEST_BODY_BYTES,
    bound: OF_BROWSERS,
    describe: {
      id: 'savePushBrowser',
      summary: 'Notify in a browser',
      description:
        'Store the subscription of a browser, as `PushSubscription.toJSON()` returns it. New texts are pushed to it until it is deleted, its push service ends it (404, 410), or the sessions of the person end. With 20 browsers the oldest is replaced. `notify` of `user_settings` or of the membership selects the texts.',
      body: [SUBSCRIPTION],
      answer: ['Kept.'],
    },
    run: async ({ auth, store, services: { config } }, c) => {
      const subscription = checkShape(SUBSCRIPTION, await readJsonBody(c))
      const { 'user-agent': agent = '' } = c.env.incoming.headers
      await saveBrowser(store.db, toBrowserOwner(auth), subscription, agent, config)
    },
  },
  'DELETE /api/account/push': {
    permission: allowRole('viewer'),
    bound: OF_BROWSERS,
    describe: {
      id: 'deletePushBrowser',
      summary: 'End notifications',
      description: 'End the notifications of one browser, or without `endpoint` of all.',
      params: {
        query: z.object({
          endpoint: z.string().optional().describe('The address of the subscription.'),
        }),
      },
      answer: ['Ended.'],
    },
    run: ({ auth, store }, c) =>
      endBrowsers(store.db, toBrowserOwner(auth), c.env.incoming.query.endpoint),
  },
  'GET /api/setup': {
    permission: allowEverybody(),
    bound: BY_KEYS,
    describe: {
      id: 'readSetup',
      summary: 'Read the options of a sign-in page',
      answer: ['How far the server is set up.', SETUP],
    },
    run: async ({ services }, c) => {
      const store = c.env.incoming.openStore(null)
      const hasSuperuser = (await listSuperusers(store)).length > 0
      const site = findPasskeySite(services.config.publicUrl)
      return {
        has_superuser: hasSuperuser,
        sends_mail: services.settings.current.smtp.enabled,
        passkey_host: site && (await hasPasskeys(store.db, site)) ? site.host : '',
      }
    },
  },
})
