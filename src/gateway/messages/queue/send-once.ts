import type { Db } from '../../../platform/db/open.ts'
import { matchAnyFound, queries } from '../../../platform/db/queries.ts'

/** Forbids sending claimed messages again: their device may no longer report whether it sent them. */
export const sendOnce = (db: Db, user: string) =>
  queries(db)
    .updateTable('sms_dispatch')
    .set({ at_least_once: false })
    .where('message', '=', ({ selectFrom }) =>
      matchAnyFound(
        selectFrom('sms_dispatch')
          .select('message')
          .where('user', '=', user)
          .where('at_least_once', '=', true)
          .orderBy('message')
          .forUpdate(),
      ),
    )
    .execute()
