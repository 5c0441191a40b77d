import { defineCommand } from 'citty'
import { readConfig } from '../platform/config.ts'
import { readEmbeddedUrl } from '../platform/db/embedded/cluster-access.ts'
import { printLine } from './command-line.ts'
import { withStore } from './open-store-for-command.ts'

export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Bring the database up to date, without serving.' },
  run: () => withStore(async () => printLine('The database is up to date.')),
})

export const databaseUrlCommand = defineCommand({
  meta: { name: 'database-url', description: 'Print the address of the database, for psql.' },
  run() {
    const { databaseUrl, dataDir } = readConfig(process.env)
    printLine(databaseUrl ?? readEmbeddedUrl(dataDir))
  },
})
