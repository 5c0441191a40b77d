import { z } from 'zod'
import { changeAuthRecord } from '../../engine/auth/change-auth-record.ts'
import { endSession } from '../../engine/auth/end-session.ts'
import { endLinks, LINK, listLinks, MAX_LINKS } from '../../engine/auth/oauth2/provider-links.ts'
import {
  findProof,
  listSessions,
  SESSION,
  startSession,
} from '../../engine/auth/sign-in-sessions.ts'
import { readClaims } from '../../engine/auth/tokens.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { allowAuthenticated, type HasServices } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import { answerOwnRecord, type Caller } from '../../http/middleware/require-caller.ts'
import type { Ctx } from '../../http/request-context.ts'
import { GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { badRequest, forbidden, makeFieldError, notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { checkShape, makeTextSchema } from '../base/body-schemas.ts'
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

const OF_SESSIONS: Bound = { cost: 'sessions', by: '50 sessions of an account, and 50 of members' }

/** `/api/account`: where the account is signed in, and links to providers that sign in to it. */
export const SESSION_ROUTES = makeRoutes('account', {
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
})
