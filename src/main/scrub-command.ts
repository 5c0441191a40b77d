import { realpathSync } from 'node:fs'
import { defineCommand } from 'citty'
import { openDb } from '../platform/db/connect-database.ts'
import { makeClusterLink } from '../platform/db/embedded/cluster-location.ts'
import { loadKnownMigrations } from '../platform/db/schema/migrate.ts'
import { rewriteTables, scrubEmbedded } from '../platform/db/wipe-deleted.ts'
import { printLine } from './command-line.ts'
import { readCommandSetting } from './open-store-for-command.ts'

/** Statements for a superuser of a Postgres elsewhere: the role of pocketsms may not run them. */
const BY_SUPERUSER = `The tables are new. The statistics and the log of Postgres may still hold deleted data. As a superuser of Postgres, run:
  vacuum full pg_statistic;
  checkpoint;`

export const scrubCommand = defineCommand({
  async run() {
    const { config, log } = readCommandSetting()
    const database = await openDb(config, log)
    try {
      const db = database.forEverybody('command')
      await loadKnownMigrations(db)
      await rewriteTables(db, printLine)
      if (config.databaseUrl) return printLine(BY_SUPERUSER)
      await scrubEmbedded(realpathSync(makeClusterLink(config.dataDir)), log)
      printLine('The files of the tables and of the log hold no deleted data.')
    } finally {
      await database.close()
    }
  },
})
