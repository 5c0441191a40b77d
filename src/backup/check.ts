import { openArchive } from './archive.ts'
import { type BackupSummary, summaryOf } from './manifest.ts'
import { readLines } from './rows.ts'

/** Reads a backup through and compares all checksums. Throws a UserError for a wrong, cut or foreign file. */
export async function checkBackup(path: string): Promise<BackupSummary> {
  const archive = await openArchive(path)
  try {
    for (const entry of archive.manifest.tables) {
      for await (const _ of readLines(entry, archive.contentOf(entry))) {
        // its checksum is compared at the end
      }
    }
    return summaryOf(archive.manifest, archive.bytes)
  } finally {
    archive.close()
  }
}
