import { isSqlError } from '../database-errors.ts'
import type { Db } from '../open.ts'
import { withSavepoint } from '../savepoint.ts'

/** A separate schema for the extension pg_trgm: view collections then cannot call its functions. */
const SCHEMA = 'pocketsms_extensions'

const INSTALLED = `select quote_ident(n.nspname), has_schema_privilege(n.oid, 'usage')
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`
const INSTALL = `create schema if not exists ${SCHEMA}; create extension if not exists pg_trgm schema ${SCHEMA}`

/** SQLSTATEs if the role may not install pg_trgm (42501), or Postgres lacks its files (0A000, 58P01). */
const REFUSALS = ['42501', '0A000', '58P01']

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The operator class of trigram indexes, or the reason why there can be none. */
export type Trigrams = { readonly operatorClass: string } | { readonly reason: string }

/** Installs the extension pg_trgm if it is missing and the role may do so. */
export async function installTrigrams(tx: Db): Promise<Trigrams> {
  const installed = await detectTrigrams(tx)
  if (installed) return installed
  try {
    await withSavepoint(tx, () => tx.script(`set local client_min_messages = warning; ${INSTALL}`))
  } catch (error) {
    if (!REFUSALS.some((code) => isSqlError(error, code))) throw error
    return { reason: `The extension pg_trgm cannot be installed: ${(error as Error).message}.` }
  }
  return checkTrigramSchema(tx, SCHEMA, true)
}

/** Whether the installed pg_trgm can be used; undefined if it is not installed. */
export async function detectTrigrams(db: Db): Promise<Trigrams | undefined> {
  const [installed] = (await db.query(INSTALLED)).rows
  return installed && checkTrigramSchema(db, String(installed[0]), installed[1] === true)
}

/** Refuses pg_trgm if it lower-cases A to Z unlike English, as in Turkish: its indexes would miss matches. */
async function checkTrigramSchema(tx: Db, schema: string, mayUse: boolean): Promise<Trigrams> {
  if (!mayUse)
    return { reason: `The role may not use the schema ${schema} of the extension pg_trgm.` }
  const test = `select ${schema}.show_trgm($1) = ${schema}.show_trgm(lower($1 collate "C"))`
  const [row] = (await tx.query(test, [UPPER])).rows
  if (row?.[0] !== true)
    return {
      reason: 'The language of the database has other small letters for A to Z than English.',
    }
  return { operatorClass: `${schema}.gin_trgm_ops` }
}

const STATES = `
select name, i.indisvalid, exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
from unnest($1::text[]) name left join pg_index i on i.indexrelid = to_regclass(name) order by name collate "C"`

/** `partial`: an aborted build left the index behind. */
type IndexState = 'ready' | 'building' | 'partial' | 'missing'

export async function loadIndexStates(
  db: Db,
  names: readonly string[],
): Promise<Map<string, IndexState>> {
  const { rows } = await db.query(STATES, [names])
  return new Map(
    rows.map(([name, isValid, isBeingBuilt]) => [
      String(name),
      toIndexState(isValid, isBeingBuilt),
    ]),
  )
}

function toIndexState(isValid: unknown, isBeingBuilt: unknown): IndexState {
  if (isValid === null) return 'missing'
  if (isValid) return 'ready'
  return isBeingBuilt ? 'building' : 'partial'
}
