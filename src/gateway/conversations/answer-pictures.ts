import type { Store } from '../../engine/collections/catalog.ts'
import { ApiError, GatewayError, RetryLater } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Media } from '../base/message-files.ts'
import type { Offer } from '../messages/send/offer.ts'
import {
  makeLinksOffer,
  makeMmsOffer,
  sendWithPictures,
} from '../messages/send/send-with-pictures.ts'
import { type AcceptConfig, storeOffers } from '../messages/send/store-offers.ts'
import { type RecordFiles, withRecordFiles } from '../messages/send/stored-media.ts'

/** The files of an automatic answer, or of its template. `media`: undefined if they cannot be sent. */
export interface AnswerPictures {
  /** Id and names, by which a changed answer is known. */
  readonly of: string
  readonly media: Media | undefined
}

export type AnswerFiles = Pick<RecordFiles, 'collection' | 'record' | 'names'>

/** The files of an answer; those of its template if it has none of its own. */
export const findAnswerFiles = (answer: {
  readonly id: string
  readonly attachments: readonly string[]
  readonly template: string
  readonly template_files: readonly string[] | null
}): AnswerFiles =>
  answer.attachments.length > 0
    ? { collection: 'auto_answers', record: answer.id, names: answer.attachments }
    : {
        collection: 'sms_templates',
        record: answer.template,
        names: answer.template_files ?? [],
      }

/** Names the pictures of an answer; '' for none. */
export const namePictures = ({ record, names }: AnswerFiles): string =>
  names.length === 0 ? '' : [record, ...names].join('/')

/** Loads the pictures of an automatic answer, outside of a transaction: each waits for its turn. */
export async function loadAnswerPictures(
  { db }: Store,
  user: string,
  config: Pick<Config, 'mmsMaxBytes'>,
  of: AnswerFiles,
): Promise<AnswerPictures> {
  const files = { ...of, subject: '', orLink: true }
  const media = await withRecordFiles(db, user, config, files, async (loaded) => loaded).catch(
    leaveOut,
  )
  return { of: namePictures(of), media }
}

/** The text is worth more than pictures that cannot be sent. A missing turn is waited for. */
function leaveOut(error: unknown): undefined {
  const isOfFiles = error instanceof GatewayError || error instanceof ApiError
  if (!isOfFiles || error instanceof RetryLater) throw error
}

/** The most segments of an answer with links to its pictures. */
const MAX_PARTS = 10

/** Stores an answer with its pictures, as links or without them if they cannot be sent otherwise. */
export async function storeAnswer(
  store: Store,
  config: AcceptConfig,
  offer: Offer,
  media: Media | undefined,
) {
  const pictures = media && { media, mention: '', fault: '' }
  const forms = [makeMmsOffer, makeLinksOffer(MAX_PARTS)]
  const { sent } = await sendWithPictures(
    store.db,
    config,
    [offer],
    pictures,
    forms,
    async (offers) => {
      const { verdicts, wake } = await storeOffers(store, config, offers)
      const { outcome } = verdicts[0]!
      if (outcome === 'mms_not_supported') throw gatewayRefusal(outcome)
      return { outcome, wake }
    },
  )
  return sent
}
