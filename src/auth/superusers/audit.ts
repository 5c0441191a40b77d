import { Catalog } from '../../collections/catalog.ts'
import type { BaseCollection } from '../../collections/collection.ts'
import { readField } from '../../collections/definition/field-shapes.ts'
import { readNew } from '../../collections/definition/read.ts'
import { quote, tableName } from '../../collections/names.ts'
import type { Db } from '../../db/open.ts'
import type { AuthRecord } from '../../request/request.ts'

/** Who does something, and from where. */
export interface Actor {
  readonly auth: AuthRecord
  readonly ip: string
}

/** What was done to what. Names only: no value that was written is ever kept. */
export interface AuditEntry {
  /** `create`, `update`, `delete`, `truncate`, `impersonate`, `sign in`, … */
  readonly action: string
  /** A collection's name. */
  readonly collection?: string
  readonly record?: string
  /** Names of what was written. */
  readonly fields?: readonly string[]
}

/**
 * The rows of `_audit` as records, so that they are listed and filtered like any. The store's catalog does
 * not have it, so no request can write it; only this file does.
 */
export const AUDIT_COLLECTION = {
  ...readNew({ name: '_audit' }),
  id: '_audit',
  fields: [
    readField({ name: 'id', type: 'text' }),
    readField({ name: 'created', type: 'date' }),
    ...['superuser', 'email', 'ip', 'action', 'collection', 'record'].map((name) =>
      readField({ name, type: 'text' }),
    ),
    readField({ name: 'fields', type: 'json' }),
  ],
} as BaseCollection
/** It is asked for by itself alone: no other collection leads there. */
export const AUDIT_CATALOG = new Catalog([AUDIT_COLLECTION])

/** Writes down what a superuser does, in the transaction of `db`. */
export const recordAudit = (db: Db, { auth, ip }: Actor, entry: AuditEntry): Promise<void> =>
  insert(db, { id: auth.id, email: String(auth.values.email ?? '') }, ip, entry)

const NOBODY = { id: '', email: '' } as const

/**
 * Writes down that a record of any collection got another password or email by a mailed link, in the
 * transaction of `db`. Who did it is told of superusers only; of others it is the record itself.
 */
export async function recordMailAudit(db: Db, { auth, ip }: Actor, action: string): Promise<void> {
  const deed = { action, collection: auth.collection.name, record: auth.id }
  if (auth.isSuperuser) await recordAudit(db, { auth, ip }, deed)
  else await insert(db, NOBODY, ip, deed)
}

/** What stands for an address where a command was given at the server's own terminal. */
const TERMINAL = 'terminal'

/** Writes down what is done at the terminal, in the transaction of `db`. */
export const recordTerminalAudit = (db: Db, entry: AuditEntry): Promise<void> =>
  insert(db, NOBODY, TERMINAL, entry)

async function insert(
  db: Db,
  superuser: { readonly id: string; readonly email: string },
  ip: string,
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  await db.query(
    `insert into _audit (superuser, email, ip, action, collection, record, fields)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [superuser.id, superuser.email, ip, action, collection, record, JSON.stringify(fields)],
    'note deed',
  )
}

/**
 * Writes down that somebody failed to sign in as a superuser: whose account it was if the identity is one's
 * email, nothing of what was typed otherwise.
 */
export async function recordRefusedSignIn(
  db: Db,
  identity: string,
  ip: string,
  superusers: string,
): Promise<void> {
  await db.query(
    `insert into _audit (superuser, email, ip, action, collection)
     select coalesce(s.id, ''), coalesce(s.email, ''), $2, 'sign in refused', $3::text
     from (select 1) one left join ${quote(tableName({ name: superusers }))} s on s.email = $1`,
    [identity, ip, superusers],
  )
}

const FORGET = `
delete from _audit where id in (
  select id from _audit where created < pb_text(now() - make_interval(days => $1)) order by created limit 10000)`

/**
 * Forgets what was done longer ago than so many days. 0: nothing is forgotten. To be called now and then, on
 * any node.
 */
export async function deleteOldAuditEntries(db: Db, days: number): Promise<void> {
  if (days === 0) return
  while ((await db.query(FORGET, [days])).count > 0);
}
