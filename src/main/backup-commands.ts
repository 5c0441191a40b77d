import { makeBackupCommand, makeRestoreCommand } from '../engine/backup/command.ts'
import { afterRestore } from './after-restore.ts'
import { readCommandSetting } from './open-store-for-command.ts'

export const backup = makeBackupCommand(readCommandSetting)
export const restore = makeRestoreCommand(readCommandSetting, afterRestore)
