import type { Db } from '../open.ts'

const STATES = `
select name, i.indisvalid, exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
from unnest($1::text[]) name left join pg_index i on i.indexrelid = to_regclass(name) order by name collate "C"`

/** `partial`: left by an aborted build. */
export type IndexState = 'ready' | 'building' | 'partial' | 'missing'

/** The state of each of these indexes by its name. */
export async function indexStates(db: Db, names: readonly string[]): Promise<Map<string, IndexState>> {
  const { rows } = await db.query(STATES, [names])
  return new Map(rows.map(([name, isValid, isBeingBuilt]) => [String(name), stateOf(isValid, isBeingBuilt)]))
}

function stateOf(isValid: unknown, isBeingBuilt: unknown): IndexState {
  if (isValid === null) return 'missing'
  if (isValid) return 'ready'
  return isBeingBuilt ? 'building' : 'partial'
}
