import { defineCommand } from 'citty'
import { readConfig } from '../platform/config.ts'
import { readEmbeddedUrl } from '../platform/db/embedded/cluster-access.ts'
import { printLine } from './command-line.ts'
import { withStore } from './open-store-for-command.ts'

export const migrateCommand = defineCommand({
  run: () => withStore(async () => printLine('The database is up to date.')),
})

export const databaseUrlCommand = defineCommand({
  run() {
    const { databaseUrl, dataDir } = readConfig(process.env)
    printLine(databaseUrl ?? readEmbeddedUrl(dataDir))
  },
})
