import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { textsOf } from '../../db/statement.ts'
import { fieldError, invalidFields } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import { isDisabledSql } from '../../records/record-sql.ts'
import { logChanged } from '../status/status.ts'

const ASSIGNABLE = `
select from senders s where s.id = $1 and s."user" = $2
  and (s.kind = 'owner' or exists (select from members m where m.id = s.id and m.role <> 'viewer'))`
const NOT_ASSIGNABLE = fieldError('validation_invalid_assignee', 'Must be the owner or a member who answers.')

/** Throws 400 unless the assignee is the account's owner or a member who may answer. */
export async function checkAssignee(
  { db }: Store,
  { assignee, user }: Readonly<Record<string, Value>>,
): Promise<void> {
  if (!assignee) return
  const { rows } = await db.query(ASSIGNABLE, [assignee, user], 'conversation assignee')
  if (!rows[0]) throw invalidFields({ assignee: NOT_ASSIGNABLE })
}

/** Lets one assignment of the account run at a time. Finds no row if the setting is off. */
const LOCK = `select from user_settings where "user" = $1 and assign = 'turns' for update`

/** Assigns conversations in turn. The person whose last assignment is the oldest gets the first. */
const ASSIGN = `
with people as (
  select id, row_number() over (order by last nulls first, id) - 1 as place, count(*) over () as number
  from (
    select p.id, (
      select max(c.assigned_at) from conversations c where c."user" = $1 and c.assignee = p.id and c.assignee <> ''
    ) as last
    from (
      select $1 as id union all
      select m.id from members m
      where m.account = $1 and m.role in ('admin', 'agent') and not ${isDisabledSql('m.member')}
    ) p
  ) p
), free as (
  select id, row_number() over (order by number collate "C") - 1 as turn from conversations
  where "user" = $1 and number = any($2::text[]) and unanswered and assignee = ''
)
update conversations c set assignee = p.id,
  assigned_at = pb_text(clock_timestamp() + f.turn * interval '1 millisecond')
from free f join people p on p.place = f.turn % p.number
where c.id = f.id returning c.id`

/** Assigns unassigned conversations with these numbers to the owner and the members in turn. */
export async function assignInTurn(db: Db, user: string, numbers: Iterable<string>): Promise<void> {
  const { rows } = await db.query(LOCK, [user], 'inbox lock turns')
  if (!rows[0]) return
  const assigned = await db.query(ASSIGN, [user, [...numbers]], 'inbox assign in turn')
  await logChanged({ db }, 'conversations', 'update', textsOf(assigned))
}
