import { backupCommand, restoreCommand } from '../engine/backup/command.ts'
import { afterRestore } from './after-restore.ts'
import { setting } from './with-store.ts'

export const backup = backupCommand(setting)
export const restore = restoreCommand(setting, afterRestore)
