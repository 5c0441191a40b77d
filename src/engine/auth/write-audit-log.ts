import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { AuthRecord } from '../request/request.ts'

export interface AuditActor {
  readonly auth: AuthRecord
  readonly ip: string
}

/** An action and its target. `fields` has only names: written values are never stored. */
export interface AuditEntry {
  readonly action: string
  readonly collection?: string
  readonly record?: string
  readonly fields?: readonly string[]
}

/** Records an action of the command line, in the transaction of `db`. */
export const recordTerminalAudit = (db: Db, entry: AuditEntry): Promise<void> =>
  recordAudit(db, { ip: 'terminal' }, entry)

/** Records an action in the transaction of `db`. Names the actor only if it is a superuser. */
export async function recordAudit(
  db: Db,
  { auth, ip }: { readonly auth?: AuthRecord; readonly ip: string },
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  const by = auth?.isSuperuser ? auth : undefined
  const about = { superuser: by?.id ?? '', email: String(by?.values.email ?? ''), ip, action }
  await queries(db)
    .insertInto('_audit')
    .values({ ...about, collection, record, fields: JSON.stringify(fields) })
    .execute()
}

/** Records a failed sign-in as superuser. Names the account only if it exists. */
export async function recordRefusedSignIn(
  db: Db,
  identity: string,
  ip: string,
  superusers: string,
) {
  await queries(db)
    .insertInto('_audit')
    .columns(['superuser', 'email', 'ip', 'action', 'collection'])
    .expression((from) =>
      from
        .selectFrom(sql<object>`(select)`.as('one'))
        .leftJoin('_superusers as s', (join) => join.on('s.email', '=', identity))
        .select(({ fn, val }) => [
          fn.coalesce('s.id', sql.lit('')).as('superuser'),
          fn.coalesce('s.email', sql.lit('')).as('email'),
          val(ip).as('ip'),
          sql.lit('sign in refused').as('action'),
          val(superusers).as('collection'),
        ]),
    )
    .execute()
}

/** Records what the owner or a member of an account did, in the transaction of `db`. */
export async function recordMemberAudit(
  db: Db,
  auth: Pick<AuthRecord, 'id' | 'sender'>,
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  const values = { user: auth.id, sender: auth.sender, action, collection, record }
  await queries(db)
    .insertInto('account_audit')
    .values({ ...values, id: sql`pb_new_id()`, fields: JSON.stringify(fields), created: NOW })
    .execute()
}

/**
 * Records what a user did with the own sign-in to a membership: of the own account, or to leave another. The
 * row of `senders` names its account, also after the membership.
 */
export async function recordOwnMembership(
  db: Db,
  { id }: Pick<AuthRecord, 'id'>,
  entry: AuditEntry & { readonly record: string },
): Promise<void> {
  const found = await queries(db)
    .selectFrom('senders')
    .select('user')
    .where('id', '=', entry.record)
    .executeTakeFirst()
  const account = found?.user ?? id
  await recordMemberAudit(db, { id: account, sender: account === id ? id : entry.record }, entry)
}
