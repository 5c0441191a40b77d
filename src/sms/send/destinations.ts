import type { Store } from '../../collections/catalog.ts'
import { list, runForRow, statement, text } from '../../db/statement.ts'
import { gatewayRefusal } from './shape.ts'

const FORBIDDEN = statement('sms forbidden destination', { user: 'string' })`
select s."user" from user_settings s where s."user" = ${text('user')} and s.destinations <> ''
  and exists (select from unnest(${list('phones')}::text[]) n(number) where not sms_is_destination(s.destinations, n.number))`

/** Throws 403 if an account may not send to one of these numbers. `sms_accept` checks each send, keys too. */
export async function checkDestinations(
  { db }: Store,
  user: string,
  phones: readonly string[],
): Promise<void> {
  if (await runForRow(db, FORBIDDEN, { user, phones })) throw gatewayRefusal('destination_not_allowed')
}
