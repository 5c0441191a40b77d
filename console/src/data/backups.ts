import { t } from '../language/words.ts'
import { type Answer, useAnswer } from './use/use-answer.ts'
import { translateFault } from './words/fault-sentences.ts'

interface Job {
  readonly action: 'backup' | 'restore'
  readonly key: string
  /** Who started the job: an email address, or `schedule`. */
  readonly by: string
}

export interface BackupStatus {
  readonly running:
    | (Job & { readonly step: string; readonly done: number; readonly total: number })
    | null
  readonly lastBackup: (Job & { readonly at: string; readonly size: number }) | null
  readonly lastRestore: (Job & { readonly at: string }) | null
  readonly lastFailure: (Job & { readonly at: string; readonly message: string }) | null
  /** Whether the last backup is older than the server's setting `BACKUP_WARNING_DAYS` allows. */
  readonly overdue: boolean
  /** When the schedule makes the next backup; '' if none is scheduled. */
  readonly next: string
}

export interface Backup {
  readonly key: string
  /** In bytes. */
  readonly size: number
  readonly modified: string
}

export const useBackupStatus = (everyMs: number): Answer<BackupStatus> =>
  useAnswer<BackupStatus>('/api/backup-status', everyMs)

/** Why a backup or restore failed, for people. */
export const describeBackupFailure = (message: string): string =>
  /^The file is sealed to other keys/.test(message)
    ? t('The backup is sealed to other keys than those of the key file.')
    : translateFault(message)
