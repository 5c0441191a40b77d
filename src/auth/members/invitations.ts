import { z } from 'zod'
import { type AuthCollection, type Store, SUPERUSERS, USERS_ID } from '../../collections/catalog.ts'
import { runForCount, runForRow, statement, text } from '../../db/statement.ts'
import { badRequest } from '../../errors.ts'
import { now } from '../../fields/date.ts'
import type { PasswordWork } from '../../records/auth-records.ts'
import { deleteRecords } from '../../records/delete.ts'
import type { Extensions } from '../../records/extension.ts'
import { lockFreshAuth, logChange } from '../../records/record-sql.ts'
import { createRecord } from '../../records/write.ts'
import { type AuthRecord, serverRequest } from '../../request/request.ts'
import { randomId, randomText } from '../../tools/random.ts'
import type { AuthServices } from '../auth-services.ts'
import { sendMail } from '../mail/mailer.ts'
import { escapeHtml, layout, linkTo, nameInMail, namesOf } from '../mail/mails.ts'
import { sha256 } from '../tokens/secrets.ts'
import { ROLES } from './accounts.ts'

const INVITATIONS = 'member_invitations'
const DAYS = 7
const SECRET_LENGTH = 40
const MAX_OPEN = 100

export const INVITATION = z.object({
  role: z.enum(ROLES, 'must be admin, agent or viewer'),
  email: z.union([z.literal(''), z.email('must be an email address').max(255)]).optional(),
})

const INVITE = statement('invite', {})`
insert into member_invitations (id, account, email, role, expires, invited_by, hash, created)
select ${text('id')}, ${text('account')}, ${text('email')}, ${text('role')}, pb_text(now() + interval '${DAYS} days'),
  ${text('sender')}, ${text('hash')}, pb_text(now())
where (select count(*) from member_invitations where account = ${text('account')} and expires > pb_text(now())) < ${MAX_OPEN}`

/**
 * Makes an invitation and mails it, or returns its link. Throws 400 if too many are open or the mail fails.
 */
export async function invite(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  { role, email = '' }: z.output<typeof INVITATION>,
): Promise<{ id: string; link?: string }> {
  const [id, secret] = [randomId(), randomText(SECRET_LENGTH)]
  const isMailed = email !== '' && services.settings.current.smtp.enabled
  // the recipient of a link may have another address
  const to = { id, account: auth.id, email: isMailed ? email : '', role }
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await lockFreshAuth(inside, auth) // a member who is being removed cannot invite
    const count = await runForCount(db, INVITE, { ...to, sender: auth.sender, hash: sha256(secret) })
    if (count === 0) throw badRequest(`An account may have ${MAX_OPEN} open invitations.`)
    await logChange(inside, { id: INVITATIONS }, 'create', id)
  })
  const link = `${namesOf(services).appUrl}/_/#/join/${secret}`
  if (!isMailed) return { id, link }
  try {
    await mailInvitation(store, services, auth.id, email, link)
  } catch (error) {
    await store.db.query('delete from member_invitations where id = $1', [id])
    services.log.warn({ err: error }, 'could not mail an invitation')
    throw badRequest('The mail could not be sent. Make a link instead.')
  }
  return { id }
}

async function mailInvitation(
  { db }: Store,
  services: AuthServices,
  account: string,
  to: string,
  link: string,
): Promise<void> {
  const { rows } = await db.query('select name from senders where id = $1', [account])
  const { appName } = namesOf(services)
  const name = nameInMail(String(rows[0]?.[0] ?? ''), appName)
  const html = `<p>${escapeHtml(name)} invites you to answer texts together.</p>
<p>${linkTo(link, 'Join the team', 'btn')}</p>
<p>The link is good for ${DAYS} days and for one person. If you do not know ${escapeHtml(name)}, ignore this mail.</p>`
  await sendMail(services, { to, subject: `${name} invites you`, html: layout(html) })
}

export const SHOWN_INVITATION = z
  .object({
    account: z.string().describe('The name of the account.'),
    inviter: z.string().describe('The name of who invites; empty if they are gone.'),
    role: z.enum(ROLES),
    email: z.string().describe('Where it was mailed to; empty for a link.'),
  })
  .meta({ id: 'ShownInvitation' })

const NOT_OPEN = 'The invitation is invalid, has expired or was used.'
const SHOW = statement('show invitation', {
  ...{ account: 'string', inviter: 'string', role: 'string', email: 'string' },
})`
select coalesce(a.name, '') as account, coalesce(s.name, '') as inviter, i.role, i.email from member_invitations i
left join senders a on a.id = i.account left join senders s on s.id = i.invited_by
where i.hash = ${text('hash')} and i.expires > ${text('now')}`

export async function showInvitation({ db }: Store, secret: string) {
  const found = await runForRow(db, SHOW, { hash: sha256(secret), now: now() })
  if (!found) throw badRequest(NOT_OPEN)
  return found
}

const find = (name: string, lock: string) => statement(name, {
  ...{ id: 'string', account: 'string', role: 'string', email: 'string' },
})`
select id, account, role, email from member_invitations
where hash = ${text('hash')} and expires > ${text('now')} ${lock}`
const [FIND, LOCK] = [find('invitation', ''), find('invitation lock', 'for update')]

/** The invitation with this secret. `isLocked`: locks it until the transaction ends. Throws 400. */
export async function findInvitation({ db }: Store, secret: string, isLocked = false) {
  const found = await runForRow(db, isLocked ? LOCK : FIND, { hash: sha256(secret), now: now() })
  if (!found) throw badRequest(NOT_OPEN)
  return found
}

/** Makes a user a member by an invitation, which it deletes. Returns the account. Throws 400. */
export async function acceptInvitation(store: Store, extensions: Extensions, secret: string, member: string) {
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const { id, account, role } = await findInvitation(inside, secret, true)
    // a takeover of the account waits, and finds the new member
    await db.query('select from users where id = $1 for share', [account], 'invitation account')
    if (account === member) throw badRequest('You cannot accept an invitation to your own account.')
    const known = await db.query('select from members where account = $1 and member = $2', [account, member])
    if (known.rows.length > 0) throw badRequest('You are a member already.')
    await deleteRecords(inside, extensions, store.catalog.find(INVITATIONS)!, [id])
    const request = serverRequest(store.catalog.find(SUPERUSERS)!, { account, member, role })
    await createRecord(inside, extensions, store.catalog.find('members')!, request)
    return account
  })
}

type Newcomer = Readonly<Record<'name' | 'email' | 'password' | 'passwordConfirm', string>>

/**
 * Creates a user without an account of its own as a member. Verifies the email if the invitation was mailed
 * to it. Returns the account. Throws 400 with field errors.
 */
export async function joinAsNew(
  store: Store,
  extensions: Extensions,
  secret: string,
  sentTo: string,
  { name, email, password, passwordConfirm }: Newcomer,
  passwordWork: PasswordWork,
): Promise<string> {
  const verified = sentTo !== '' && sentTo.toLowerCase() === email.toLowerCase()
  const body = { name, email, password, passwordConfirm, verified, member_only: true }
  const users = store.catalog.find(USERS_ID) as AuthCollection
  let account = ''
  await createRecord(store, extensions, users, serverRequest(store.catalog.find(SUPERUSERS)!, body), {
    passwordWork: () => passwordWork,
    inSameTransaction: async (inside, id) => {
      account = await acceptInvitation(inside, extensions, secret, id)
    },
  })
  return account
}
