import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type AccountLocale, UNKNOWN_LOCALE } from '../../portable/account-locale.ts'

/** How an account reads and writes dates and numbers. */
export async function loadAccountLocale(db: Db, user: string): Promise<AccountLocale> {
  const found = await queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as s', 's.user', 'u.id')
    .select(['u.language', 's.country', sql<string>`sms_time_zone(u.id)`.as('zone')])
    .where('u.id', '=', user)
    .executeTakeFirst()
  const { language, country, zone } = found ?? UNKNOWN_LOCALE
  return { language: language ?? '', country: country ?? '', zone }
}
