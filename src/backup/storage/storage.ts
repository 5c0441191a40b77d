import type { S3Settings } from '../../settings/settings.ts'
import type { BackupStorage } from './backup-storage.ts'
import { folderStorage } from './folder.ts'

/** The storage that the settings name: an S3-compatible store, else `folder`. */
export async function openStorage(s3: S3Settings, folder: string): Promise<BackupStorage> {
  if (!s3.enabled) return folderStorage(folder)
  // loaded when it is first needed, as most installations use no S3
  const { s3Storage } = await import('./s3.ts')
  return s3Storage(s3)
}
