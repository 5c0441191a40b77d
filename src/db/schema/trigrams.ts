import { isSqlError } from '../errors.ts'
import type { Db } from '../open.ts'
import { withSavepoint } from '../savepoint.ts'

/**
 * Of its own, so that the extension's functions are not among ours: queries of view collections cannot call
 * them.
 */
const SCHEMA = 'pocketsms_extensions'

const INSTALLED = `select quote_ident(n.nspname), has_schema_privilege(n.oid, 'usage')
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`
const INSTALL = `create schema if not exists ${SCHEMA}; create extension if not exists pg_trgm schema ${SCHEMA}`

/**
 * insufficient_privilege; feature_not_supported and undefined_file: the server lacks the extension's files.
 */
const REFUSALS = ['42501', '0A000', '58P01']

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The operator class of trigram indexes, or why there cannot be such an index. */
export type Trigrams = { readonly operatorClass: string } | { readonly reason: string }

/**
 * Installs the extension pg_trgm unless it is there, in the transaction `tx`, if the role may do so. It is in
 * Postgres' contrib, and the owner of a database may install it.
 */
export async function installTrigrams(tx: Db): Promise<Trigrams> {
  const installed = await trigramsOf(tx)
  if (installed) return installed
  try {
    await withSavepoint(tx, () => tx.script(`set local client_min_messages = warning; ${INSTALL}`))
  } catch (error) {
    if (!REFUSALS.some((code) => isSqlError(error, code))) throw error
    return { reason: `The extension pg_trgm cannot be installed: ${(error as Error).message}.` }
  }
  return usable(tx, SCHEMA, true)
}

/** What there is of the extension; undefined if it is not installed. */
export async function trigramsOf(db: Db): Promise<Trigrams | undefined> {
  const [installed] = (await db.query(INSTALLED)).rows
  return installed && usable(db, String(installed[0]), installed[1] === true)
}

/**
 * The extension lowers letters as the database's language does. In Turkish `I` and `i` are then different
 * letters, and an index would miss what PocketBase's `~` finds.
 */
async function usable(tx: Db, schema: string, mayUse: boolean): Promise<Trigrams> {
  if (!mayUse) return { reason: `The role may not use the schema ${schema} of the extension pg_trgm.` }
  const test = `select ${schema}.show_trgm($1) = ${schema}.show_trgm(lower($1 collate "C"))`
  const [row] = (await tx.query(test, [UPPER])).rows
  if (row?.[0] !== true)
    return { reason: 'The language of the database has other small letters for A to Z than English.' }
  return { operatorClass: `${schema}.gin_trgm_ops` }
}
