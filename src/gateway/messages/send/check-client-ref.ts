import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { queries } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { GivenFiles } from '../../base/message-files.ts'
import { hasOtherFiles } from './given-files.ts'
import { readOfferedWords } from './mms.ts'
import type { Offer } from './offer.ts'
import type { SendOrigin } from './send-options.ts'

/**
 * Throws 422 if the stored `message` with this client_ref has another number, text or files than the offer. A
 * text or number that was removed or changed since matches, and links may follow the words.
 */
export async function checkClientRef({ db }: Store, message: string, offer: Offer) {
  const [first] = offer.messages
  const hasFiles = offer.media !== undefined || offer.given !== undefined
  // a retry repeats the files of its message
  const isRetry = offer.media !== undefined && offer.given === undefined
  const body = offer.media ? readOfferedWords(offer, first!) : (first!.body ?? offer.body ?? '')
  const other = await queries(db)
    .selectFrom('sms_messages as m')
    .where('m.id', '=', message)
    .where(
      sql<boolean>`not ((m."to" = ${first!.to} or m."to" = '') and (m.body = ${body} or m.body = '' or ${hasFiles} and starts_with(m.body, ${body}) or exists (
        select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`,
    )
    .executeTakeFirst()
  if (other || (!isRetry && (await hasOtherFiles(db, message, offer.given))))
    throw gatewayRefusal('client_ref_reused')
}

export const keepGiven = (
  origin: SendOrigin | undefined,
  files: GivenFiles | undefined,
): SendOrigin | undefined =>
  files ? { api: 'files', id: '', ...origin, data: { ...origin?.data, files } } : origin
