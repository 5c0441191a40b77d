import type { Store } from '../collections/catalog.ts'
import type { Extension } from '../records/extension.ts'
import { endUserQueue } from './edit/takeover.ts'

/** Deletes a user's data, first the row that acceptance locks, so that no send comes in between. */
export const usersExtension: Extension = {
  async afterDelete(store, ids) {
    for (const table of Object.keys(OF_USERS) as (keyof typeof OF_USERS)[])
      await forgetUsers(store, table, ids)
  },
  onTakeover: endUserQueue,
}

/** By which column each is locked, as devices that report lock the queue. */
const OF_USERS = {
  sms_turns: '"user"',
  sms_idempotency: 'key',
  sms_dispatch: 'message',
  smsgate_sends: 'id',
  smsgate_accounts: '"user"',
  smsgate_tokens: 'id',
} as const

const forgetUsers = (store: Store, table: keyof typeof OF_USERS, users: readonly string[]) => {
  const key = OF_USERS[table]
  return store.db.query(
    `delete from ${table} where "user" = any($1) and ${key} = any(array(
      select ${key} from ${table} where "user" = any($1) order by ${key} for update))`,
    [users],
    `forget ${table}`,
  )
}
