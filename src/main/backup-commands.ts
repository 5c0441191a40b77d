import { makeBackupCommand, makeRestoreCommand } from '../engine/backup/command.ts'
import { afterRestore } from './after-restore.ts'
import { readCommandSetting } from './with-store.ts'

export const backup = makeBackupCommand(readCommandSetting)
export const restore = makeRestoreCommand(readCommandSetting, afterRestore)
