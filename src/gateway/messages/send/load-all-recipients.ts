import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { E164, SHORT_CODE } from '../../../portable/phone/e164.ts'
import { normalizePhone } from '../../../portable/phone/read-phone.ts'
import { findSettings } from '../../base/find-settings.ts'
import { gatewayRefusal, makePhoneError } from '../../base/gateway-errors.ts'
import { makeCountError } from '../../base/permissions.ts'
import type { SendBody } from './send-options.ts'

/** Throws 400 `invalid_phone_number`. */
export function checkPhones(phones: readonly string[]): void {
  for (const phone of phones) if (!E164.test(phone)) throw makePhoneError(phone)
}

/**
 * `recipients`, then the groups' members, each person once. Throws 400 above `max` and for forbidden short
 * codes, 404 for an unknown group.
 */
export async function loadAllRecipients(
  { db }: Store,
  user: string,
  { recipients, groupIds }: Pick<SendBody, 'recipients' | 'groupIds'>,
  max: number,
): Promise<readonly string[]> {
  const phones = new Set(recipients.map(normalizePhone))
  if (recipients.some((to) => SHORT_CODE.test(to)) && !(await allowsShortCodes({ db }, user)))
    throw gatewayRefusal('invalid_phone_number')
  // enough to notice too many recipients: members may also be among the given numbers
  const limit = max + phones.size + 1
  if (groupIds.length > 0 && phones.size <= max) {
    const members = await groupMembers(db, user, groupIds, limit)
    for (const phone of members) phones.add(normalizePhone(phone))
    // two contacts of one person count once, but then more members may be unread
    if (members.length === limit) throw makeCountError(max)
  }
  if (phones.size > max) throw makeCountError(max)
  if (groupIds.length > 0 && phones.size === 0)
    throw invalidRequest('group_ids has no member to send to')
  return [...phones]
}

export const allowsShortCodes = async ({ db }: Pick<Store, 'db'>, user: string): Promise<boolean> =>
  (await findSettings(db, user, 'short_codes'))?.short_codes ?? false

/** Phone numbers of groups' members, ordered by name, no opted-out ones. Reads all contacts. Throws 404. */
async function groupMembers(db: Db, user: string, groupIds: readonly string[], limit: number) {
  const groups = [...new Set(groupIds)]
  const { found, phones } = await queries(db, 'shaped')
    .selectNoFrom([
      sql<number>`(
        select count(*) from contact_groups g where g."user" = ${user} and g.id = any(${groups}::text[]))`.as(
        'found',
      ),
      sql<string[]>`array(
        select c.phone from contacts c
        where c."user" = ${user} and c.groups && ${groups}::text[] and not c.opted_out
        order by c.name, c.id limit ${limit})`.as('phones'),
    ])
    .executeTakeFirstOrThrow()
  if (found < groups.length) throw gatewayRefusal('group_not_found')
  return phones
}
