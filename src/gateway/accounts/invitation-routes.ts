import { z } from 'zod'
import { checkAuthRule } from '../../engine/auth/auth-rule.ts'
import { findByEmail, requireEnabled } from '../../engine/auth/find-auth-record.ts'
import { hasFactor, requireFactorCode } from '../../engine/auth/second-factor.ts'
import { limitCodeGuesses, limitMails } from '../../engine/auth/sign-in-limits.ts'
import { authWithPassword } from '../../engine/auth/sign-in-with-password.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { makeObjectShape, text } from '../../engine/fields/json-shapes.ts'
import { isUserDisabled } from '../../engine/records/disabled-user.ts'
import { allowByRules, allowRole } from '../../http/allow-callers.ts'
import { asCaller, authenticate } from '../../http/attempt.ts'
import { readForm } from '../../http/body/form.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { makePasswordWork } from '../../http/middleware/limit-password-work.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { FORM_BYTES, GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { forbidden, invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { checkShape } from '../base/body-schemas.ts'
import { requireUserRecord } from '../base/device-record.ts'
import {
  acceptInvitation,
  findInvitation,
  INVITATION,
  inviteMember,
  joinAsNew,
  SHOWN_INVITATION,
} from './invitations.ts'

const SHOW = makeObjectShape({ secret: text })
const ACCEPT = makeObjectShape({
  secret: text,
  name: text,
  email: text,
  password: text,
  passwordConfirm: text,
  code: text,
})
type Accept = ReturnType<(typeof ACCEPT)['zero']>

async function answerAcceptance(
  c: Ctx,
  services: Services,
  user: string | undefined,
  form: Accept,
): Promise<string> {
  const { extensions, store } = services
  const ip = c.env.incoming.ip
  const find = () => findInvitation(store.signIn, form.secret)
  const invitation = await limitCodeGuesses(store.signIn.db, 'invitation', ip, find)
  const member = user ?? (await findKnownMember(c, services, form, invitation.email))
  if (member !== undefined) return acceptInvitation(store.signIn, extensions, form.secret, member)
  const work = makePasswordWork(c, services, null)
  return joinAsNew(store.signIn, extensions, form.secret, invitation.email, form, work)
}

const CODE_NEEDED = makeFieldError(
  'validation_required',
  'Your sign-in has a second factor: enter a code of your app, or a recovery code.',
)
const SIGN_IN_FIRST = 'Your sign-in needs a second proof. Sign in, and open the link again.'

/**
 * A user without an account of their own who proves to be one as a sign-in would ask; undefined for others.
 * `sentTo`: where the invitation was mailed to, which is as good as a mailed code. Throws 400, 403, 429.
 */
async function findKnownMember(
  c: Ctx,
  services: Services,
  { email, password, code }: Accept,
  sentTo: string,
) {
  const store = services.store.signIn
  const collection = store.catalog.find(USERS_ID) as AuthCollection
  const known = await findByEmail(store, collection, email)
  if (known?.values.member_only !== true) return undefined
  const readForm = async () => ({ identity: email, password, identityField: 'email' })
  const ip = c.env.incoming.ip
  const auth = await authWithPassword({ store, services, collection, ip, readForm })
  // who has left all accounts may join another one, but not whom a superuser has disabled
  if (await isUserDisabled(store.db, auth.id)) requireEnabled(auth)
  await checkAuthRule(store, auth, c.env.incoming.describe(null, {}, 'password'))
  if (await hasFactor(store.db, auth)) {
    if (!code) throw invalidFields({ code: CODE_NEEDED })
    await requireFactorCode(store.db, auth, code)
  } else if (collection.mfa.enabled && sentTo.toLowerCase() !== email.toLowerCase())
    throw forbidden(SIGN_IN_FIRST)
  return auth.id
}

const NEW = 'Of a new user; leave it out when signed in.'

const OF_INVITATIONS: Bound = {
  cost: 'open invitations of the account',
  by: '100; limits of tries and mails',
}

export const INVITATION_ROUTES = makeRoutes('account', {
  'POST /api/account/invitations': {
    permission: allowRole('admin'),
    maxBytes: GUEST_BODY_BYTES,
    bound: OF_INVITATIONS,
    describe: {
      id: 'invite',
      summary: 'Invite a person to act for the account',
      description:
        'For the account and its admins. With an `email`, and where the server sends mail, the link is mailed; otherwise the answer has it, this once. It is good for 7 days and for one person. `member_invitations` lists the open ones; deleting one revokes it.',
      body: [INVITATION, { role: 'agent', email: 'ben@example.com' }],
      answer: [
        'The invitation.',
        z.object({ id: z.string(), link: z.string().optional() }).meta({ id: 'Invited' }),
      ],
    },
    run: async ({ user: account, services }, c) => {
      const asked = checkShape(INVITATION, await readJsonBody(c))
      const { config } = services
      const from = {
        db: services.store.signIn.db,
        config,
        collection: USERS_ID,
        ip: c.env.incoming.ip,
      }
      if (asked.email) await limitMails({ ...from, account })
      return asCaller(c, services, 'checked', async ({ caller, store }) => {
        const auth = requireUserRecord(caller)
        const { language } = c.env.incoming
        return inviteMember(store, services, auth, asked, language)
      })
    },
  },
  'POST /api/account/invitations/show': {
    permission: allowByRules(),
    maxBytes: FORM_BYTES,
    bound: OF_INVITATIONS,
    describe: {
      id: 'showInvitation',
      summary: 'Show an invitation',
      description:
        'Returns the inviting person and the account. A used, revoked or expired invitation is refused.',
      body: [
        z.object({ secret: z.string().describe('The end of the link.') }),
        { secret: 'mU3k…' },
      ],
      answer: ['The invitation.', SHOWN_INVITATION],
    },
    run: async ({ services }, c) => {
      const { secret } = await readForm(c, SHOW)
      const store = services.store.signIn
      const show = () => findInvitation(store, secret)
      return limitCodeGuesses(store.db, 'invitation', c.env.incoming.ip, show)
    },
  },
  'POST /api/account/invitations/accept': {
    permission: allowByRules(),
    maxBytes: FORM_BYTES,
    bound: OF_INVITATIONS,
    describe: {
      id: 'acceptInvitation',
      summary: 'Accept an invitation',
      description:
        'A signed-in user becomes a member. Without a token, a new user is created as a member, even if users may not sign up. The new user has no account of their own and can only act for accounts of others. Such a user may join another account by email and password, and a `code` where the sign-in has a second factor.',
      body: [
        z.object({
          secret: z.string().describe('The end of the link.'),
          name: z.string().optional().describe(NEW),
          email: z.string().optional().describe(NEW),
          password: z.string().optional().describe(NEW),
          passwordConfirm: z.string().optional().describe(NEW),
          code: z
            .string()
            .optional()
            .describe(
              'Of a known user with a second factor: a code of the app, or a recovery code.',
            ),
        }),
        { secret: 'mU3k…' },
      ],
      answer: [
        'Joined.',
        z.object({ account: z.string().describe('Its id.') }).meta({ id: 'Joined' }),
      ],
      fails: [400, 401, 404, 413],
    },
    run: async ({ services }, c) => {
      const form = await readForm(c, ACCEPT)
      const auth = await authenticate(c, services)
      if (auth && auth.collection.id !== USERS_ID) throw forbidden('Only users may ask for this.')
      return { account: await answerAcceptance(c, services, auth?.id, form) }
    },
  },
})
