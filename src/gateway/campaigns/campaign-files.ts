import { copyFiles } from '../../engine/files/copy-files.ts'
import { storeFile } from '../../engine/files/stored-files.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Media } from '../base/message-files.ts'
import { MAX_FILES } from '../messages/send/mms.ts'
import { withRecordFiles } from '../messages/send/stored-media.ts'
import type { Campaign, CampaignServices } from './campaign.ts'

// The files of a campaign are prepared once. The files of its messages share their contents.

const collection = 'campaigns'

/** Stores the files of a campaign in the transaction that stores their names. Throws FilesFull. */
export async function storeCampaignFiles(
  db: Db,
  { maxAccountFileBytes: maxBytes }: Pick<Config, 'maxAccountFileBytes'>,
  user: string,
  record: string,
  media: Media,
): Promise<void> {
  const owner = { id: user, maxBytes }
  for (const { name, type, content } of media.files)
    await storeFile(db, { collection, record, name }, { type, owner }, content)
}

/** Gives a run the files of its repeating campaign. */
export const copyCampaignFiles = (db: Db, from: string, to: string) =>
  copyFiles(db, { collection, records: [from] }, { collection, record: to }, MAX_FILES)

/** Runs `work` with the files of a campaign. Throws 409 if one is gone, 400 if they do not fit any more. */
export const withCampaignMedia = <T>(
  { store, config }: CampaignServices,
  { id: record, user, attachments: names, subject, orLink }: Campaign,
  work: (media: Media) => Promise<T>,
): Promise<T> =>
  withRecordFiles(store.db, user, config, { collection, record, names, subject, orLink }, work)
