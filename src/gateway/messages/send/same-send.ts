import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { GivenFiles } from '../../base/message-files.ts'
import { readOfferedWords } from './mms.ts'
import type { Offer } from './offer.ts'
import type { SendOrigin } from './send-options.ts'

// A repeated request with the same client_ref is compared with the first one: its number, its text, and its
// files, whose hashes are kept.

const CHARACTERS = 22

export const hashGiven = (value: string | Uint8Array): string =>
  value.length === 0
    ? ''
    : createHash('sha256').update(value).digest('base64url').slice(0, CHARACTERS)

/** A name of files by their bytes and order, to compare mails by; '' for none. */
export const nameFiles = (files: readonly { readonly bytes: Uint8Array }[]): string =>
  files.map(({ bytes }) => ` ${hashGiven(bytes)}`).join('')

/** Files that a request names by address only. */
export const markAddresses = (subject: string, addresses: readonly string[]): GivenFiles => ({
  subject: hashGiven(subject),
  files: addresses.map((address) => [hashGiven(address), '']),
})

/** Whether both are the same files in the same order: each has the same address, or the same bytes. */
const areSameFiles = (one: GivenFiles, other: GivenFiles): boolean =>
  one.subject === other.subject &&
  one.files.length === other.files.length &&
  one.files.every((file, i) =>
    file.some((mark, place) => mark !== '' && mark === other.files[i]![place]),
  )

/** A message as far as its files are compared. `given`: absent if it is not known, as of older messages. */
interface SentFiles {
  readonly id: string
  readonly hadFiles: boolean
  readonly isRemoved: boolean
  readonly given: GivenFiles | undefined
}

const selectSentFiles = (db: Db) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .leftJoin('sms_origins as o', 'o.ref', 'm.id')
    .select(['m.id', 'm.body', 'm.segments', 'm.attachments', 'o.data'])

type Row = Readonly<{ id: string; body: string; segments: number; attachments: string[] }> & {
  readonly data: string | null
}

function toSentFiles({ id, body, segments, attachments, data }: Row): SentFiles {
  const kept = JSON.parse(data ?? '{}') as { readonly files?: GivenFiles }
  return {
    id,
    hadFiles: segments === 0 || attachments.length > 0,
    isRemoved: body === '',
    given: kept.files,
  }
}

/** The message of a client_ref, if its request named the same files by the same addresses. */
export async function findSameSend(
  db: Db,
  user: string,
  clientRef: string,
  given: GivenFiles,
): Promise<string | undefined> {
  const row = await selectSentFiles(db)
    .where('m.user', '=', user)
    .where('m.client_ref', '=', clientRef)
    .where('m.client_ref', '<>', '')
    .executeTakeFirst()
  const sent = row && toSentFiles(row as Row)
  return sent?.given && areSameFiles(sent.given, given) ? sent.id : undefined
}

/** Whether a message was sent with other files than a request has. Removed messages match all. */
async function hasOtherFiles(
  db: Db,
  message: string,
  given: GivenFiles | undefined,
): Promise<boolean> {
  const row = await selectSentFiles(db).where('m.id', '=', message).executeTakeFirst()
  if (!row) return false
  const sent = toSentFiles(row as Row)
  if (sent.isRemoved) return false
  if (!sent.given) return sent.hadFiles !== (given !== undefined)
  return given === undefined || !areSameFiles(sent.given, given)
}

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
