import { quote, tableName } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { run, runForCount, type Slots, statement, tables, text } from '../db/statement.ts'
import type { AuthRecord } from '../request/request.ts'

export interface Actor {
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

type Row = Record<'superuser' | 'email' | 'ip' | 'action' | 'collection' | 'record' | 'fields', string>

const ADD = statement(
  'audit add',
  ({ superuser, email, ip, action, collection, record, fields }: Slots<Row>) =>
    tables.insertInto('_audit').values({ superuser, email, ip, action, collection, record, fields }),
)

/** Records an action in the transaction of `db`. Names the actor only if it is a superuser. */
export async function recordAudit(
  db: Db,
  { auth, ip }: { readonly auth?: AuthRecord; readonly ip: string },
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  const by = auth?.isSuperuser ? auth : undefined
  const about = { superuser: by?.id ?? '', email: String(by?.values.email ?? ''), ip, action }
  await runForCount(db, ADD, { ...about, collection, record, fields: JSON.stringify(fields) })
}

/** Records a failed sign-in as superuser. Names the account only if it exists. */
export async function recordRefusedSignIn(db: Db, identity: string, ip: string, superusers: string) {
  await db.query(
    `insert into _audit (superuser, email, ip, action, collection)
     select coalesce(s.id, ''), coalesce(s.email, ''), $2, 'sign in refused', $3::text
     from (select 1) one left join ${quote(tableName({ name: superusers }))} s on s.email = $1`,
    [identity, ip, superusers],
  )
}

const forget = (table: string) => `
delete from ${table} where id in (
  select id from ${table} where created < pb_text(now() - make_interval(days => $1)) order by created limit 10000)`

/** Deletes audit entries older than `days`; 0 keeps all. */
export async function deleteOldAuditEntries(db: Db, days: number): Promise<void> {
  if (days === 0) return
  for (const table of ['_audit', 'account_audit']) while ((await db.query(forget(table), [days])).count > 0);
}

/** Collections whose changes by members are recorded in the account's audit log. */
export const AUDITED: ReadonlySet<string> = new Set([
  'devices',
  'lines',
  'api_keys',
  'webhooks',
  'hooks',
  'verify_services',
  'members',
  'member_invitations',
])

const NOTE = statement('audit action of member', {})`
insert into account_audit (id, "user", sender, action, collection, record, fields, created)
values (pb_new_id(), ${text('user')}, ${text('sender')}, ${text('action')}, ${text('collection')}, ${text('record')},
  ${text('fields')}, pb_text(now()))`

/** Records what a member did for an account, in the transaction of `db`. */
export async function recordMemberAudit(
  db: Db,
  auth: AuthRecord,
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  const values = { user: auth.id, sender: auth.sender, action, collection, record }
  await run(db, NOTE, { ...values, fields: JSON.stringify(fields) })
}
