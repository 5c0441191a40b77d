import { sql } from 'kysely'
import { z } from 'zod'
import { readMailSender } from '../../engine/auth/auth-mails.ts'
import type { AuthServices } from '../../engine/auth/auth-services.ts'
import { hashSha256 } from '../../engine/auth/tokens.ts'
import { recordMemberAudit } from '../../engine/auth/write-audit-log.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import { lockFreshAuth } from '../../engine/records/check-auth-version.ts'
import type { Extension, Extensions } from '../../engine/records/collection-extension.ts'
import { createRecord } from '../../engine/records/create-or-update.ts'
import type { PasswordWork } from '../../engine/records/hash-passwords.ts'
import { logChange } from '../../engine/records/log-changes.ts'
import { type AuthRecord, makeServerRequest, type Role } from '../../engine/request/request.ts'
import { badRequest } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { makeRandomId, makeRandomText } from '../../platform/tools/random.ts'
import type { Language } from '../../portable/languages.ts'
import { sendInvitationMail } from './invitation-mail.ts'
import { ROLE, ROLES } from './members.ts'

/** Clients cannot create invitations: only `inviteMember` does, because it shows the secret once. */
export const invitationsExtension: Extension = { grantsAccess: true, setByServer: ['hash'] }

const INVITATIONS = 'member_invitations'
const DAYS = 7
const SECRET_LENGTH = 40
const MAX_OPEN = 100

export const INVITATION = z.object({
  role: z.enum(ROLES, 'must be admin, agent or viewer'),
  email: z.union([z.literal(''), z.email('must be an email address').max(255)]).optional(),
})

/** Stores an invitation. False if the account has MAX_OPEN already. */
async function storeInvitation(
  db: Db,
  {
    id,
    account,
    email,
    role,
  }: Readonly<{ id: string; account: string; email: string; role: Role }>,
  sender: string,
  secret: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: stored = 0n } = await queries(db)
    .insertInto('member_invitations')
    .columns(['id', 'account', 'email', 'role', 'invited_by', 'hash', 'expires', 'created'])
    .expression(
      queries(db)
        .selectNoFrom(({ val }) => [
          val(id).as('id'),
          val(account).as('account'),
          val(email).as('email'),
          val(role).as('role'),
          val(sender).as('invited_by'),
          val(hashSha256(secret)).as('hash'),
          sql<string>`pb_text(now() + interval '${sql.raw(String(DAYS))} days')`.as('expires'),
          NOW.as('created'),
        ])
        .where(
          ({ selectFrom, fn }) =>
            selectFrom('member_invitations')
              .select(fn.countAll<number>().as('open'))
              .where('account', '=', account)
              .where('expires', '>', NOW),
          '<',
          MAX_OPEN,
        ),
    )
    .executeTakeFirst()
  return stored > 0n
}

/**
 * Makes an invitation. Mails it, or returns its link. `browser`: the language of the request. Throws 400 if
 * too many are open or the mail fails.
 */
export async function inviteMember(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  { role, email = '' }: z.output<typeof INVITATION>,
  browser?: Language,
): Promise<{ id: string; link?: string }> {
  const [id, secret] = [makeRandomId(), makeRandomText(SECRET_LENGTH)]
  const isMailed = email !== '' && services.settings.current.smtp.enabled
  // an invitation by link stores no address, because anybody may get the link
  const to = { id, account: auth.id, email: isMailed ? email : '', role }
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await lockFreshAuth(inside, auth) // a member who is being removed cannot invite
    if (!(await storeInvitation(db, to, auth.sender, secret)))
      throw badRequest(`An account may have ${MAX_OPEN} open invitations.`)
    await logChange(inside, { id: INVITATIONS }, 'create', id)
    await recordMemberAudit(db, auth, { action: 'create', collection: INVITATIONS, record: id })
  })
  const link = `${readMailSender(services).appUrl}/_/#/join/${secret}`
  if (!isMailed) return { id, link }
  try {
    await sendInvitationMail(store, services, auth, { to: email, link, days: DAYS, browser })
  } catch (error) {
    await queries(store.db).deleteFrom('member_invitations').where('id', '=', id).execute()
    services.log.warn({ err: error }, 'could not mail an invitation')
    throw badRequest('The mail could not be sent. Make a link instead.')
  }
  return { id }
}

export const SHOWN_INVITATION = z
  .object({
    account: z.string().describe('The name of the account.'),
    inviter: z
      .string()
      .describe('The name of the inviting person; empty if their record was deleted.'),
    role: ROLE,
    email: z.string().describe('Where it was mailed to; empty for a link.'),
  })
  .meta({ id: 'ShownInvitation' })

const NOT_OPEN = 'The invitation is invalid, has expired or was used.'
/** The invitation with this secret. Throws 400 if it is invalid, expired or used. */
export async function findInvitation({ db }: Store, secret: string) {
  const found = await queries(db)
    .selectFrom('member_invitations as i')
    .leftJoin('senders as a', 'a.id', 'i.account')
    .leftJoin('senders as s', 's.id', 'i.invited_by')
    .select(({ fn }) => [
      sql<string>`coalesce(nullif(account_name(i.account), ''), a.name, '')`.as('account'),
      fn.coalesce('s.name', sql.lit('')).as('inviter'),
      'i.role',
      'i.email',
    ])
    .where('i.hash', '=', hashSha256(secret))
    .where('i.expires', '>', NOW)
    .executeTakeFirst()
  if (!found) throw badRequest(NOT_OPEN)
  return found
}

/** Makes the user `member` a member and deletes the invitation. Returns the account's id. Throws 400. */
export async function acceptInvitation(
  store: Store,
  extensions: Extensions,
  secret: string,
  member: string,
) {
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const found = await queries(db)
      .selectFrom('member_invitations')
      .select(['id', 'account', 'role'])
      .where('hash', '=', hashSha256(secret))
      .where('expires', '>', NOW)
      .forUpdate()
      .executeTakeFirst()
    if (!found) throw badRequest(NOT_OPEN)
    const { id, account, role } = found
    // lock the account: a concurrent takeover by its owner waits, then removes the new member, too
    await queries(db).selectFrom('users').where('id', '=', account).forShare().execute()
    if (account === member) throw badRequest('You cannot accept an invitation to your own account.')
    const known = await queries(db)
      .selectFrom('members')
      .where('account', '=', account)
      .where('member', '=', member)
      .execute()
    if (known.length > 0) throw badRequest('You are a member already.')
    await deleteRecords(inside, extensions, store.catalog.find(INVITATIONS)!, [id])
    const request = makeServerRequest(store, { account, member, role })
    const made = await createRecord(inside, extensions, store.catalog.find('members')!, request)
    const { id: record } = JSON.parse(made) as { id: string }
    const entry = { action: 'create', collection: 'members', record, fields: ['role'] }
    await recordMemberAudit(db, { id: account, sender: record }, entry)
    return account
  })
}

type Newcomer = Readonly<Record<'name' | 'email' | 'password' | 'passwordConfirm', string>>

/**
 * Creates a user without an account of their own, as a member. Marks the email as verified if the invitation
 * was mailed to it. Returns the id of the inviting account. Throws 400 with field errors.
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
  await createRecord(store, extensions, users, makeServerRequest(store, body), {
    passwordWork: () => passwordWork,
    inSameTransaction: async (inside, id) => {
      account = await acceptInvitation(inside, extensions, secret, id)
    },
  })
  return account
}
