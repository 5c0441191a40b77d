import type { Store } from '../../../engine/collections/catalog.ts'
import { ApiError, GatewayError } from '../../../platform/api-errors.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Db } from '../../../platform/db/open.ts'
import { withSavepoint } from '../../../platform/db/savepoint.ts'
import type { Media } from '../../base/message-files.ts'
import type { LinkConfig } from '../../base/stop-link.ts'
import { linkOfferedFiles } from './file-links.ts'
import { writeStoredText } from './mms.ts'
import type { Offer } from './offer.ts'
import { type AskedMedia, loadMedia, type MediaConfig } from './read-media.ts'

// Pictures of alarms and mails. The text is worth more: it leaves without those that cannot be sent.

export interface Pictures {
  readonly media?: Media
  /** Words of the text that only say that it had pictures; '' for none. */
  readonly mention: string
  /** Why pictures were left out; '' if none were. */
  readonly fault: string
}

/** Loads pictures. Never throws: `fault` says why some are left out. */
export async function loadPictures(
  store: Store,
  user: string,
  config: MediaConfig,
  asked: Pick<AskedMedia, 'named' | 'given' | 'memory'>,
  mention = '',
): Promise<Pictures> {
  let fault = ''
  const leaveOut = (error: unknown) => {
    fault ||= describeFault(error)
  }
  const media = await loadMedia(store, user, config, {
    ...asked,
    subject: '',
    orLink: true,
    leaveOut,
  }).catch(leaveOut)
  return {
    ...(media && media.files.length > 0 && { media }),
    // those that are left out stay mentioned
    mention: fault === '' ? mention : '',
    fault,
  }
}

const MAX_FAULT = 500
const describeFault = (error: unknown): string =>
  error instanceof ApiError || error instanceof GatewayError
    ? error.message.replace(/^attachments: /, '').slice(0, MAX_FAULT)
    : 'The pictures could not be loaded or stored.'

export type PictureForm = (
  db: Db,
  config: LinkConfig,
  offer: Offer,
  pictures: Pictures,
) => Offer | Promise<Offer>

export const makeMmsOffer: PictureForm = (_db, _config, offer, { media, mention }) => {
  const text = offer.body ?? ''
  const line = mention === '' ? '' : `\n${mention}`
  const words = text.replace(text.includes(line) ? line : mention, '').trim()
  return {
    ...offer,
    media,
    body: writeStoredText(words, media!.files),
    messages: offer.messages.map((message) => ({ ...message, segments: 0 })),
  }
}

/**
 * Texts with links, of at most `maxParts` segments with the links: the last pictures that do not fit are left
 * out. Throws 400 if no link fits.
 */
export const makeLinksOffer =
  (maxParts: number): PictureForm =>
  async (db, config, offer, pictures) => {
    const { files } = pictures.media!
    for (let kept = files.length; kept > 0; kept--) {
      const areAll = kept === files.length
      const media = { ...pictures.media!, files: files.slice(0, kept) }
      const mention = areAll ? pictures.mention : ''
      const withFiles = await makeMmsOffer(db, config, offer, { ...pictures, media, mention })
      const linked = await linkOfferedFiles(db, config, withFiles)
      if (linked.messages.every(({ segments }) => segments <= maxParts)) return linked
    }
    throw makeRoomError(maxParts)
  }

const makeRoomError = (maxParts: number) =>
  invalidRequest(`Links to the pictures would make the text longer than ${maxParts} segments`)

const SOME_LEFT_OUT = 'The text has no room for the links of all pictures.'

/**
 * Sends offers in the caller's transaction by `send`: in the first of these forms that can be stored, else
 * without pictures. `fault` says why pictures are left out; '' if none are.
 */
export async function sendWithPictures<T>(
  db: Db,
  config: LinkConfig,
  offers: readonly Offer[],
  pictures: Pictures | undefined,
  forms: readonly PictureForm[],
  send: (offers: readonly Offer[]) => Promise<T>,
): Promise<{ readonly sent: T; readonly fault: string }> {
  const { media, fault = '' } = pictures ?? {}
  let refused = fault
  const sendAs = async (form: PictureForm) => {
    const formed: Offer[] = []
    for (const offer of offers) formed.push(await form(db, config, offer, pictures!))
    const areAll = formed.every((offer) => offer.media!.files.length === media!.files.length)
    return { sent: await send(formed), fault: fault || (areAll ? '' : SOME_LEFT_OUT) }
  }
  for (const form of media ? forms : []) {
    try {
      return await withSavepoint(db, () => sendAs(form))
    } catch (error) {
      refused = describeFault(error)
    }
  }
  return { sent: await send(offers), fault: refused }
}
