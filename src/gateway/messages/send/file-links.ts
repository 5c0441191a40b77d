import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { findStoredFile, type StoredFile } from '../../../engine/files/stored-files.ts'
import { isDisabled } from '../../../engine/records/disabled-user.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { findPurposeKey, makePurposeKey } from '../../../platform/db/secrets.ts'
import { countSegments } from '../../../portable/segments.ts'
import { MESSAGE_COLLECTION } from '../../base/message-files.ts'
import type { LinkConfig } from '../../base/stop-link.ts'
import { readOfferedWords } from './mms.ts'
import type { Offer } from './offer.ts'
import { checkTextLength } from './write-text-bodies.ts'

// Links in a text that leaves instead of an MMS. Each is short: the id of the message, the place of the file
// among its files, and the first characters of their HMAC. It ends with the file or the message.

const PURPOSE = 'file link'
const KEY_BYTES = 32
const TAG_CHARACTERS = 11
const TOKEN = /^([a-z0-9]{15})(\d)([\w-]{11})$/
/** How long a link works, from when its text was due or sent. */
export const LINK_DAYS = 30

const signPlace = (key: Buffer, id: string, place: number | string) =>
  createHmac('sha256', key).update(`${id} ${place}`).digest('base64url').slice(0, TAG_CHARACTERS)

/** Returns a function that adds links to the files of a message to its words. */
export async function makeLinkedText(db: Db, { publicUrl }: LinkConfig, files: number) {
  const key = await makePurposeKey(db, PURPOSE)
  return (id: string, words: string): string => {
    const parts = words === '' ? [] : [words]
    for (let place = 0; place < files; place++)
      parts.push(`${publicUrl}/f/${id}${place}${signPlace(key, id, place)}`)
    return parts.join(' ')
  }
}

/** Words with the space before them. */
const splitWords = (text: string) => text.split(/(?=\s)/)
const isFileLink = (id: string, word: string) => word.includes(`/f/${id}`)

export const cutFileLinks = (id: string, text: string): string =>
  splitWords(text)
    .filter((word) => !isFileLink(id, word))
    .join('')

/** Other words of a message, with the links that its text has. */
export function keepFileLinks(id: string, text: string, words: string): string {
  const links = splitWords(text).filter((word) => isFileLink(id, word))
  return [cutFileLinks(id, words), ...links.map((link) => link.trim())].join(' ').trimStart()
}

/** Makes texts with links of an offer with files. Throws 400 for a text that the links make too long. */
export async function linkOfferedFiles(db: Db, config: LinkConfig, offer: Offer): Promise<Offer> {
  const write = await makeLinkedText(db, config, offer.media!.files.length)
  const messages = offer.messages.map((message) => {
    const body = write(message.id, readOfferedWords(offer, message))
    checkTextLength(body)
    return { ...message, body, segments: countSegments(body).segments }
  })
  return { ...offer, body: undefined, messages }
}

/** The file of a link's token; undefined for a forged or old one, a deleted file, and a closed account. */
export async function findLinkedFile(db: Db, token: string): Promise<StoredFile | undefined> {
  const [, id = '', place = '', tag = ''] = TOKEN.exec(token) ?? []
  const key = (await findPurposeKey(db, PURPOSE)) ?? randomBytes(KEY_BYTES)
  const signed = Buffer.from(signPlace(key, id, place))
  if (tag === '' || !timingSafeEqual(signed, Buffer.from(tag))) return undefined
  const message = await queries(db)
    .selectFrom('sms_messages as m')
    .select('m.attachments')
    .where('m.id', '=', id)
    .where(({ not }) => not(isDisabled('m.user')))
    .where(
      sql<boolean>`greatest(created, scheduled_at, sent_at) > pb_text(now() - make_interval(days => ${sql.lit(LINK_DAYS)}))`,
    )
    .executeTakeFirst()
  const name = message?.attachments[Number(place)]
  return name === undefined
    ? undefined
    : findStoredFile(db, { collection: MESSAGE_COLLECTION, record: id, name })
}
