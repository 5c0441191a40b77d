import { backupCommand, restoreCommand } from '../engine/backup/command.ts'
import { afterRestore } from './after-restore.ts'
import { readCommandSetting } from './with-store.ts'

export const backup = backupCommand(readCommandSetting)
export const restore = restoreCommand(readCommandSetting, afterRestore)
