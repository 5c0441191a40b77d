import { sql } from 'kysely'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { acquireLock, matchAny, queries, tryAcquireLock } from '../../../platform/db/queries.ts'
import { makePurposeKey } from '../../../platform/db/secrets.ts'
import type { Logger } from '../../../platform/log.ts'
import { SUPERUSERS_LOG } from './audit-entries.ts'
import {
  type Chain,
  computeSeal,
  hasSignedEnds,
  loadSeals,
  lockChains,
  SEAL_PURPOSE,
  type Seal,
  storeChains,
} from './audit-seals.ts'

const CHAINS_PER_RUN = 10_000

/**
 * Deletes sealed entries older than `days`, from the beginning of each chain, with their seals; 0 keeps all.
 * The signed end of the chain replaces them. Keeps seals that do not continue it: the doctor reports them.
 */
export async function deleteOldAuditEntries(db: Db, days: number, log: Logger): Promise<void> {
  if (days === 0) return
  for (const { account, before } of await findOldChains(db, days))
    while ((await db.transaction((tx) => deleteBeginning(tx, account, before, log))) > 0);
}

const findOldChains = (db: Db, days: number) =>
  queries(db)
    .selectFrom('_audit_chains as c')
    .innerJoin('_audit_seals as s', (join) =>
      join
        .onRef('s.account', '=', 'c.account')
        .on('s.number', '=', sql<number>`c.first_number + 1`),
    )
    .innerJoin(
      sql<{
        before: string
      }>`(select pb_text(now() - make_interval(days => ${days})) as before)`.as('b'),
      (join) => join.onTrue(),
    )
    .select(['c.account', 'b.before'])
    .whereRef('s.created', '<', 'b.before')
    .limit(CHAINS_PER_RUN)
    .execute()

/** Deletes the first old entries of a chain. Returns how many; 0 also while another server seals entries. */
async function deleteBeginning(
  tx: Db,
  account: string,
  before: string,
  log: Logger,
): Promise<number> {
  if (!(await tryAcquireLock(tx, LOCKS.auditSeals))) return 0
  const key = await makePurposeKey(tx, SEAL_PURPOSE)
  const chain = (await lockChains(tx, [account])).get(account)!
  const seals = await loadSeals(tx, account, chain.first_number)
  const old = hasSignedEnds(key, chain) ? listOld(key, chain, seals, before) : []
  const next = seals[old.length]
  if (next && next.created < before)
    log.error({ account }, 'seals of the audit log were changed: pocketsms doctor --audit')
  const last = old.at(-1)
  if (!last) return 0
  await deleteEntries(tx, account, old)
  await storeChains(tx, key, [{ ...chain, first_number: last.number, first_seal: last.seal }])
  return old.length
}

/** The seals at the beginning of a chain that are old and continue it. */
function listOld(key: Buffer, chain: Chain, seals: readonly Seal[], before: string): Seal[] {
  let [number, previous] = [chain.first_number, chain.first_seal]
  const end = seals.findIndex((row) => {
    const continues = row.number === ++number && row.seal === computeSeal(key, previous, row)
    previous = row.seal
    return !continues || row.created >= before
  })
  return end < 0 ? [...seals] : seals.slice(0, end)
}

async function deleteEntries(tx: Db, account: string, seals: readonly Seal[]): Promise<void> {
  const entries = matchAny(seals.map(({ entry }) => entry))
  if (account === SUPERUSERS_LOG)
    await queries(tx).deleteFrom('_audit').where('id', '=', entries).execute()
  else await queries(tx).deleteFrom('account_audit').where('id', '=', entries).execute()
  await queries(tx)
    .deleteFrom('_audit_seals')
    .where('account', '=', account)
    .where('number', '<=', seals.at(-1)!.number)
    .execute()
}

/** Deletes the seals of accounts that are deleted with their entries. The ends of their chains stay. */
export async function endAuditChains(db: Db, accounts: readonly string[]): Promise<void> {
  await acquireLock(db, LOCKS.auditSeals)
  for (const table of ['_audit_unsealed', '_audit_seals'] as const)
    await queries(db).deleteFrom(table).where('account', '=', matchAny(accounts)).execute()
  const key = await makePurposeKey(db, SEAL_PURPOSE)
  const chains = [...(await lockChains(db, accounts)).values()].filter((chain) =>
    hasSignedEnds(key, chain),
  )
  const ended = chains.map(({ last_number, last_seal, ...chain }) => {
    const ends = { first_number: last_number, first_seal: last_seal, last_number, last_seal }
    return { ...chain, ...ends }
  })
  await storeChains(db, key, ended)
}
