import type { Value } from '../../engine/fields/field.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'
import { isSameName } from '../../portable/fold-text.ts'

type Values = Readonly<Record<string, Value>>

/**
 * Throws 400 if another record of the account has the same name in another spelling: the unique index refuses
 * equal ones. A name that is not changed stays, whatever others have. Until the transaction of `db` ends,
 * other namings of the account wait.
 */
export async function requireFreeName(
  db: Db,
  table: 'labels' | 'verify_services',
  { id, user, name }: Values,
  old?: Values,
): Promise<void> {
  if (name === old?.name && user === old?.user) return
  await acquireLock(db, LOCKS.names, `${table} ${user}`)
  const others = await queries(db)
    .selectFrom(table)
    .select('name')
    .where('user', '=', String(user))
    .where('id', '<>', String(id))
    .execute()
  if (others.some((other) => other.name !== name && isSameName(other.name, String(name))))
    throw invalidFields({ name: makeFieldError('validation_not_unique', 'Value must be unique') })
}
