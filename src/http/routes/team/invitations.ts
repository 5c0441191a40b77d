import { Hono } from 'hono'
import { z } from 'zod'
import { limitGuesses, limitMails } from '../../../auth/attempt-limits.ts'
import { findByEmail } from '../../../auth/auth-rows.ts'
import {
  acceptInvitation,
  INVITATION,
  invite,
  joinAsNew,
  SHOWN_INVITATION,
  showInvitation,
} from '../../../auth/members.ts'
import { authWithPassword } from '../../../auth/with-password.ts'
import { type AuthCollection, USERS_ID } from '../../../collections/catalog.ts'
import { forbidden } from '../../../errors.ts'
import { object, text } from '../../../fields/shape.ts'
import { ACCOUNT, ANYONE, chapter, SIGNED_IN } from '../../../openapi/operations.ts'
import { checkShape } from '../../../sms/send/shape.ts'
import { readJson } from '../../body/raw-body.ts'
import type { Ctx, Env, Services } from '../../context.ts'
import { readForm } from '../../forms/form.ts'
import { auditRequest, requireUser } from '../../middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../../middleware/guest-body.ts'
import { passwordWork } from '../../middleware/passwords.ts'
import { authOf } from '../../request-info.ts'
import { retry } from '../../retry.ts'
import { clientIp } from '../../server/client-ip.ts'
import { storeOf } from '../../server/store-of.ts'

/** `/api/account/invitations`: invites members to an account. */
export const invitationRoutes = (services: Services) =>
  new Hono<Env>()
    .post('/invitations', async (c) => {
      const { user: account } = await requireUser(c, services)
      const asked = checkShape(INVITATION, await readJson(c, GUEST_BODY_BYTES))
      const { config, store } = services
      const from = { db: store.signIn.db, config, collection: USERS_ID, ip: clientIp(c, services) }
      if (asked.email) await limitMails({ ...from, account })
      const identify = async () => (await requireUser(c, services)).auth
      c.header('cache-control', 'no-store')
      return c.json(
        await retry(store, identify, async (auth) => {
          const inside = storeOf(c, services, auth)
          const made = await invite(inside, services, auth, asked)
          const entry = { action: 'create', collection: 'member_invitations', record: made.id }
          if (auth.actor) await auditRequest(c, services, auth, entry)
          return made
        }),
      )
    })
    .post('/invitations/show', async (c) => {
      const { secret } = await readForm(c, SHOW)
      const store = services.store.signIn
      const ip = clientIp(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await limitGuesses(store.db, 'invitation', ip, () => showInvitation(store, secret)))
    })
    .post('/invitations/accept', async (c) => {
      const form = await readForm(c, ACCEPT)
      const auth = await authOf(c, services)
      if (auth && auth.collection.id !== USERS_ID) throw forbidden('Only users may ask for this.')
      const account = await accept(c, services, auth?.id, form)
      return c.json({ account })
    })

const SHOW = object({ secret: text })
const ACCEPT = object({ secret: text, name: text, email: text, password: text, passwordConfirm: text })
type Accept = ReturnType<(typeof ACCEPT)['zero']>

async function accept(c: Ctx, services: Services, user: string | undefined, form: Accept): Promise<string> {
  const { extensions, store } = services
  const find = () => showInvitation(store.signIn, form.secret)
  const invitation = await limitGuesses(store.signIn.db, 'invitation', clientIp(c, services), find)
  const member = user ?? (await knownMember(c, services, form))
  if (member !== undefined) return acceptInvitation(store.signIn, extensions, form.secret, member)
  const work = passwordWork(c, services, null)
  return joinAsNew(store.signIn, extensions, form.secret, invitation.email, form, work)
}

async function knownMember(c: Ctx, services: Services, { email, password }: Accept) {
  const store = services.store.signIn
  const collection = store.catalog.find(USERS_ID) as AuthCollection
  const known = await findByEmail(store, collection, email)
  if (known?.values.member_only !== true) return undefined
  const readForm = async () => ({ identity: email, password, identityField: 'email' })
  return (await authWithPassword({ store, services, collection, ip: clientIp(c, services), readForm })).id
}

const NEW = 'Of a new user; leave it out when signed in.'

export const invitationPaths = () =>
  chapter(ACCOUNT, SIGNED_IN, {
    'POST /api/account/invitations': {
      id: 'invite',
      summary: 'Invite somebody to act for the account',
      description:
        'For the account and its admins. With an `email`, and where the server sends mail, the link is mailed; otherwise the answer has it, this once. It is good for 7 days and for one person. `member_invitations` lists the open ones; deleting one revokes it.',
      body: [INVITATION, { role: 'agent', email: 'ben@example.com' }],
      answer: [
        'The invitation.',
        z.object({ id: z.string(), link: z.string().optional() }).meta({ id: 'Invited' }),
      ],
    },
    'POST /api/account/invitations/show': {
      id: 'showInvitation',
      summary: 'Show an invitation',
      description:
        'Says who invites to which account. An invitation that was used, revoked or has expired is refused.',
      security: ANYONE,
      body: [z.object({ secret: z.string().describe('The end of the link.') }), { secret: 'mU3k…' }],
      answer: ['The invitation.', SHOWN_INVITATION],
    },
    'POST /api/account/invitations/accept': {
      id: 'acceptInvitation',
      summary: 'Accept an invitation',
      description:
        'Signed in, the user becomes a member. Without a token a new user is made who is one, also where users may not sign up: without an account of their own, so that only the accounts of others are open to them. Such a user may join another account by email and password.',
      security: ANYONE,
      body: [
        z.object({
          secret: z.string().describe('The end of the link.'),
          name: z.string().optional().describe(NEW),
          email: z.string().optional().describe(NEW),
          password: z.string().optional().describe(NEW),
          passwordConfirm: z.string().optional().describe(NEW),
        }),
        { secret: 'mU3k…' },
      ],
      answer: ['Joined.', z.object({ account: z.string().describe('Its id.') }).meta({ id: 'Joined' })],
      fails: [400, 401, 404, 413],
    },
  })
