import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'

/** Stands for the account in the log of superusers, whose entries are in `_audit`. */
export const SUPERUSERS_LOG = ''

/** An entry of an audit log. No erasure of a person changes any part of it. */
export interface LoggedEntry {
  readonly id: string
  readonly account: string
  readonly created: string
  /** Id of the superuser or sender who acted; '' for an unknown person. */
  readonly by: string
  readonly email: string
  readonly ip: string
  readonly action: string
  readonly collection: string
  readonly record: string
  /** JSON, as it is stored. */
  readonly fields: string
}

/** Finds entries by their ids, in the log of superusers or in those of accounts. */
export async function findAuditEntries(
  db: Db,
  isOfSuperusers: boolean,
  ids: readonly string[],
): Promise<Map<string, LoggedEntry>> {
  if (ids.length === 0) return new Map()
  const found = await (isOfSuperusers ? findOfSuperusers(db, ids) : findOfAccounts(db, ids))
  return new Map(found.map((entry) => [entry.id, entry]))
}

const findOfSuperusers = (db: Db, ids: readonly string[]): Promise<LoggedEntry[]> =>
  queries(db)
    .selectFrom('_audit as a')
    .select(['id', 'created', 'superuser as by', 'email', 'ip', 'action', 'collection', 'record'])
    .select([sql.lit(SUPERUSERS_LOG).as('account'), sql<string>`a.fields::text`.as('fields')])
    .where('id', '=', matchAny(ids))
    .execute()

/** An installation may have removed the field `ip`, which is optional. */
const IP = sql<string>`coalesce(to_jsonb(a) ->> 'ip', '')`

const findOfAccounts = (db: Db, ids: readonly string[]): Promise<LoggedEntry[]> =>
  queries(db)
    .selectFrom('account_audit as a')
    .select(['id', 'user as account', 'created', 'sender as by', 'action', 'collection', 'record'])
    .select([sql.lit('').as('email'), IP.as('ip'), sql<string>`a.fields::text`.as('fields')])
    .where('id', '=', matchAny(ids))
    .execute()
