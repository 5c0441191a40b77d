import type { Db } from '../../platform/db/open.ts'
import type { Extensions } from '../records/collection-extension.ts'

/** Prepares an import's transaction: statements may take any time, and extensions do their own work first. */
export async function beginImport(db: Db, extensions: Extensions): Promise<void> {
  await db.limitStatements(0)
  for (const { beforeImport } of extensions.values()) await beforeImport?.(db)
}
