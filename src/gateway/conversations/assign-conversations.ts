import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

const NOT_ASSIGNABLE = makeFieldError(
  'validation_invalid_assignee',
  'Must be the owner or a member who answers.',
)

/** Throws 400 unless the assignee is the account's owner or a member who may answer. */
export async function checkAssignee(
  { db }: Store,
  { assignee, user }: Readonly<Record<string, Value>>,
): Promise<void> {
  if (!assignee) return
  const found = await queries(db)
    .selectFrom('senders as s')
    .where('s.id', '=', String(assignee))
    .where('s.user', '=', String(user))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('s.kind', '=', 'owner'),
        exists(
          selectFrom('members as m').whereRef('m.id', '=', 's.id').where('m.role', '<>', 'viewer'),
        ),
      ]),
    )
    .executeTakeFirst()
  if (!found) throw invalidFields({ assignee: NOT_ASSIGNABLE })
}

/** Assigns unassigned conversations with these phone numbers in turn, if the account's settings say so. */
export async function assignInTurn(db: Db, user: string, numbers: Iterable<string>): Promise<void> {
  await callFunction(db, 'conversations_assign', user, [...numbers])
}
