import type { Store } from '../../../engine/collections/catalog.ts'
import { ApiError, GatewayError } from '../../../platform/api-errors.ts'
import type { Db } from '../../../platform/db/open.ts'
import { withSavepoint } from '../../../platform/db/savepoint.ts'
import type { Media } from '../../base/message-files.ts'
import type { LinkConfig } from '../../base/stop-link.ts'
import { linkOfferedFiles } from './file-links.ts'
import { checkMediaSize, writeStoredText } from './mms.ts'
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
const isRefused = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof GatewayError
const describeFault = (error: unknown): string =>
  isRefused(error)
    ? error.message.replace(/^attachments: /, '').slice(0, MAX_FAULT)
    : 'The pictures could not be loaded.'

/** How offers of one text each leave with their pictures: as MMS, or as texts with links. */
export type PictureForm = (
  db: Db,
  config: LinkConfig,
  offer: Offer,
  pictures: Pictures,
) => Offer | Promise<Offer>

export const asMms: PictureForm = (_db, _config, offer, { media, mention }) => {
  const text = offer.body ?? ''
  const words = mention === '' ? '' : text.replace(mention, '').replace('\n\n', '\n').trim()
  return {
    ...offer,
    media,
    body: writeStoredText(words || text, media!.files),
    messages: offer.messages.map((message) => ({ ...message, segments: 0 })),
  }
}

export const asLinks: PictureForm = async (db, config, offer, pictures) =>
  linkOfferedFiles(db, config, await asMms(db, config, offer, pictures))

/**
 * Sends offers in the caller's transaction by `send`: in the first of these forms that is not refused, else
 * without pictures. `fault` says why.
 */
export async function sendWithPictures<T>(
  db: Db,
  config: LinkConfig,
  offers: readonly Offer[],
  pictures: Pictures | undefined,
  forms: readonly PictureForm[],
  send: (offers: readonly Offer[]) => Promise<T>,
): Promise<{ readonly sent: T; readonly fault: string }> {
  let fault = pictures?.fault ?? ''
  const media = pictures?.media
  const sendAs = async (form: PictureForm) => {
    checkMediaSize(
      media!,
      offers.reduce((sum, { messages }) => sum + messages.length, 0),
    )
    const formed: Offer[] = []
    for (const offer of offers) formed.push(await form(db, config, offer, pictures!))
    return send(formed)
  }
  for (const form of media ? forms : []) {
    try {
      return { sent: await withSavepoint(db, () => sendAs(form)), fault }
    } catch (error) {
      if (!isRefused(error)) throw error
      fault = describeFault(error)
    }
  }
  return { sent: await send(offers), fault }
}
