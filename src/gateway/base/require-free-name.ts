import { sql } from 'kysely'
import type { Value } from '../../engine/fields/field.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'
import { isSameName, isSpelledAlike } from '../../portable/fold-text.ts'

type Values = Readonly<Record<string, Value>>

/**
 * Throws 400 if another record of the account has the same name in another spelling: the unique index refuses
 * equal ones. For groups, whose names are compared as in PocketBase, case counts. A name that is not changed
 * stays, whatever others have. Until the transaction of `db` ends, other namings of the account wait.
 */
export async function requireFreeName(
  db: Db,
  table: 'labels' | 'contact_groups' | 'verify_services',
  { id, user, name }: Values,
  old?: Values,
): Promise<void> {
  if (name === old?.name && user === old?.user) return
  await acquireLock(db, LOCKS.names, `${table} ${user}`)
  const all = queries(db)
    .selectFrom(table)
    .select('name')
    .where('user', '=', String(user))
    .where('id', '<>', String(id))
  const isGroup = table === 'contact_groups'
  // an account may have thousands of groups
  const key = sql<string>`pb_name_key(${String(name)})`
  const others = await (isGroup ? all.where(sql`pb_name_key(name)`, '=', key) : all).execute()
  const isSame = isGroup ? isSpelledAlike : isSameName
  if (others.some((other) => other.name !== name && isSame(other.name, String(name))))
    throw invalidFields({ name: makeFieldError('validation_not_unique', 'Value must be unique') })
}
