import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import type { Db } from '../../../db/open.ts'
import {
  cutPage,
  describePage,
  PAGE,
  PAGE_PARAMETERS,
  type PageRequest,
  readPage,
  unknownToken,
} from '../paging.ts'
import { type Parameters, refuseUnknown } from '../parameters.ts'
import { sidOf } from '../sid.ts'
import { NUMBER, NUMBER_SQL, type NumberRow, numberRow, renderNumber } from './number.ts'

export const NUMBERS = PAGE.extend({ incoming_phone_numbers: z.array(NUMBER) }).meta({ id: 'TwilioNumbers' })

const KNOWN: ReadonlySet<string> = new Set(['PhoneNumber', 'FriendlyName', ...PAGE_PARAMETERS])

/** The user's numbers in pages, newest first. Throws 20001, 21481 for a wrong token. */
export async function listNumbers(
  { db }: Store,
  user: string,
  parameters: Parameters,
): Promise<z.output<typeof NUMBERS>> {
  refuseUnknown(parameters, KNOWN)
  const page = readPage(parameters, 'PN')
  const { rows: kept, content } = cutPage(page, await readRows(db, user, parameters, page))
  const place = { accountSid: sidOf('AC', user), path: '/IncomingPhoneNumbers.json', kind: 'PN' } as const
  return {
    ...describePage(place, parameters, page, content),
    incoming_phone_numbers: kept.map((row) => renderNumber(row, user)),
  }
}

const LIST = `${NUMBER_SQL} and ($2 = '' or d.phone = $2) and ($3 = '' or d.name = $3)`
const POSITION = 'select _rowid from devices d where d.id = $1 and d."user" || \'\' = $2'

/** The rows of a page, and one more if there is another page behind it. */
async function readRows(
  db: Db,
  user: string,
  parameters: Parameters,
  { page, size, from }: PageRequest,
): Promise<NumberRow[]> {
  const values: unknown[] = [user, parameters.get('PhoneNumber') ?? '', parameters.get('FriendlyName') ?? '']
  let text = LIST
  if (from) {
    const { rows } = await db.query(POSITION, [from.id, user])
    if (!rows[0]) throw unknownToken()
    text += ` and d._rowid ${from.isBack ? '>' : '<'} $${values.push(rows[0][0])}`
  }
  const offset = from ? 0 : page * size
  const order = from?.isBack ? '' : 'desc'
  text += ` order by d._rowid ${order} limit $${values.push(size + 1)}::bigint offset $${values.push(offset)}::bigint`
  const { rows } = await db.query(text, values)
  return rows.map(numberRow)
}
