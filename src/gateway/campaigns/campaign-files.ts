import type { Store } from '../../engine/collections/catalog.ts'
import { copyFiles } from '../../engine/files/copy-files.ts'
import type { Upload } from '../../engine/files/upload.ts'
import type { Ctx } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Media } from '../base/message-files.ts'
import type { ActingCaller } from '../messages/require-sender.ts'
import { MAX_FILES, storeMediaFiles } from '../messages/send/mms.ts'
import { makeMediaLoad } from '../messages/send/read-media.ts'
import { makeSubjectError } from '../messages/send/read-send.ts'
import { withRecordFiles } from '../messages/send/stored-media.ts'
import { addTemplateFiles } from '../messages/send/template-files.ts'
import type { Campaign, CampaignServices, CampaignText } from './campaign.ts'
import type { CampaignChange, NewCampaign } from './campaign-body.ts'

// The files of a campaign are prepared once. The files of its messages share their contents.

const collection = 'campaigns'

/** Puts the files of its template before those that the request for a campaign names. */
export async function addCampaignFiles(
  store: Store,
  user: string,
  wanted: NewCampaign,
): Promise<NewCampaign> {
  const { text, uploads, options } = wanted
  const named = { attachments: wanted.attachments, orLink: wanted.orLink ?? undefined }
  const { attachments, orLink } = await addTemplateFiles(store, user, text, named, uploads)
  const files = attachments.length + uploads
  return { ...wanted, attachments, options: { ...options, files, orLink } }
}

/** As `makeMediaLoad`, for the files of a request for a campaign. */
export const makeCampaignLoad = (
  { store, user, services }: ActingCaller,
  c: Ctx,
  uploads: readonly Upload[],
  { attachments, subject }: Pick<CampaignChange, 'attachments' | 'subject'>,
) =>
  makeMediaLoad(store, user, services.config, c.env.incoming, {
    subject: subject ?? '',
    named: attachments ?? [],
    uploads,
    // the plan asks for a line
    orLink: true,
  })

/**
 * The files and the subject of a campaign after a change. Throws 400 for a text without words and files, and
 * for a subject without files.
 */
export async function readFileChange(
  campaign: Campaign,
  { body }: CampaignText,
  change: CampaignChange,
  load?: () => Promise<Media>,
) {
  const media = change.files ? await load?.() : undefined
  const attachments =
    change.files === null ? campaign.attachments : (media?.files.map(({ name }) => name) ?? [])
  if (body === '' && attachments.length === 0) throw invalidRequest('body must be given')
  if (change.subject && attachments.length === 0) throw makeSubjectError()
  const orLink = change.orLink ?? campaign.orLink
  const subject = attachments.length > 0 ? (change.subject ?? campaign.subject) : ''
  const mms = orLink ? ('or_link' as const) : ('' as const)
  return { media, orLink, files: { attachments: [...attachments], subject, mms } }
}

/** Stores the files of a campaign in the transaction that stores their names. Throws FilesFull. */
export const storeCampaignFiles = (
  db: Db,
  config: Pick<Config, 'maxAccountFileBytes'>,
  user: string,
  record: string,
  media: Media,
): Promise<void> => storeMediaFiles(db, config, user, { collection, records: [record] }, media)

/** Gives a run the files of its repeating campaign. */
export const copyCampaignFiles = (db: Db, from: string, to: string) =>
  copyFiles(db, { collection, records: [from] }, { collection, record: to }, MAX_FILES)

/**
 * Runs `work` with the files of a campaign. Throws 409 if one was deleted, 400 if they do not fit any more.
 */
export const withCampaignMedia = <T>(
  { store, config }: CampaignServices,
  { id: record, user, attachments: names, subject, orLink }: Campaign,
  work: (media: Media) => Promise<T>,
): Promise<T> =>
  withRecordFiles(store.db, user, config, { collection, record, names, subject, orLink }, work)
