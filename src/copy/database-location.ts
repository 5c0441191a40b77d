import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { hasDatabase } from '../db/data-folder.ts'
import { type Db, openDb } from '../db/open.ts'
import { UserError } from '../errors.ts'
import type { Logger } from '../log.ts'

const IS_URL = /^postgres(ql)?:\/\//

/** A database that somebody named: a Postgres by its URL, or a data folder. */
export interface DatabaseLocation {
  /** Its name without a password. */
  readonly label: string
  /** How a server is started on it. */
  readonly setting: string
  readonly folder: string | undefined
  open(log: Logger): Promise<Db>
}

/** The database that a text on the command line names. Nothing is opened yet. */
export function parseLocation(text: string, config: Config): DatabaseLocation {
  if (!IS_URL.test(text)) {
    return {
      label: text,
      setting: `DATA_DIR=${text}`,
      folder: resolve(text),
      open: (log) => openDb({ ...config, databaseUrl: undefined, dataDir: text }, log),
    }
  }
  const label = withoutPassword(text)
  return {
    label,
    setting: `DATABASE_URL=${label}`,
    folder: undefined,
    open: (log) => openDb({ ...config, databaseUrl: text }, log),
  }
}

/**
 * Throws a UserError for a folder without a database (which opening would make), and for one that is copied
 * onto itself.
 */
export function checkLocations(from: DatabaseLocation, to: DatabaseLocation): void {
  if (from.folder !== undefined && !hasDatabase(from.folder)) {
    throw new UserError(`There is no pocketsms in the folder ${from.label}.`)
  }
  if (from.folder !== undefined && from.folder === to.folder) {
    throw new UserError('The target is the source.')
  }
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/@:]*):[^@]*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***')
}
