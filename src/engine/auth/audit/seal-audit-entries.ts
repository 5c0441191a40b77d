import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, NOW, queries, tryAcquireLock } from '../../../platform/db/queries.ts'
import { makePurposeKey } from '../../../platform/db/secrets.ts'
import type { Logger } from '../../../platform/log.ts'
import { digestEntry, findAuditEntries, type LoggedEntry, SUPERUSERS_LOG } from './audit-entries.ts'
import {
  BROKEN,
  type Chain,
  computeSeal,
  hasSignedEnds,
  lockChains,
  makeChain,
  SEAL_PURPOSE,
  SEALS_PER_BATCH,
  type Seal,
  storeChains,
  storeSeals,
} from './audit-seals.ts'

export interface SealedEntry extends LoggedEntry {
  readonly number: number
  readonly seal: string
}

export type PublishEntries = (tx: Db, entries: readonly SealedEntry[]) => Promise<void>

interface Unsealed {
  readonly account: string
  readonly entry: string
}

interface Batch {
  readonly key: Buffer
  readonly unsealed: readonly Unsealed[]
  /** The entries, by id. One that was deleted meanwhile is missing. */
  readonly entries: ReadonlyMap<string, LoggedEntry>
  readonly settled: string
}

/** Makes seals of all committed entries that have none, and publishes them, on one server at a time. */
export async function sealAuditEntries(
  db: Db,
  log: Logger,
  publish?: PublishEntries,
): Promise<void> {
  while ((await isWorkLeft(db)) && (await db.transaction((tx) => sealBatch(tx, log, publish))));
}

/** Whether there are entries without a seal, or no seals yet. */
async function isWorkLeft(db: Db): Promise<boolean> {
  const found = await queries(db)
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('_audit_unsealed')).as('unsealed'),
      exists(selectFrom('_audit_chains').where('account', '=', SUPERUSERS_LOG)).as('begun'),
    ])
    .executeTakeFirstOrThrow()
  return Boolean(found.unsealed) || !found.begun
}

/** Makes the next seals. Returns false if another server makes them. */
async function sealBatch(
  tx: Db,
  log: Logger,
  publish: PublishEntries | undefined,
): Promise<boolean> {
  if (!(await tryAcquireLock(tx, LOCKS.auditSeals))) return false
  const key = await makePurposeKey(tx, SEAL_PURPOSE)
  const unsealed = await takeUnsealed(tx)
  const accounts = [...new Set([SUPERUSERS_LOG, ...unsealed.map(({ account }) => account)])]
  const known = await lockChains(tx, accounts)
  const numbers = await findLastNumbers(tx, accounts)
  const checkEnd = (account: string) => {
    const end = known.get(account) ?? makeChain(account)
    return repairEnd(key, end, numbers.get(account) ?? 0, log)
  }
  const ends = new Map(accounts.map((account) => [account, checkEnd(account)]))
  const { chains, settled } = ends.get(SUPERUSERS_LOG)!
  const entries = await findEntries(tx, unsealed)
  const seals = makeSeals({ key, unsealed, entries, settled }, ends)
  await storeSeals(tx, seals)
  ends.set(SUPERUSERS_LOG, {
    ...ends.get(SUPERUSERS_LOG)!,
    chains: chains + ends.size - known.size,
    settled: unsealed.length < SEALS_PER_BATCH ? await readNow(tx) : settled,
  })
  await storeChains(tx, key, [...ends.values()])
  await publish?.(tx, listSealed(seals, entries))
  return true
}

/** Takes the entries that have waited longest for a seal. */
const takeUnsealed = async (tx: Db): Promise<Unsealed[]> => {
  const taken = await queries(tx)
    .deleteFrom('_audit_unsealed')
    .where('number', 'in', ({ selectFrom }) =>
      selectFrom('_audit_unsealed').select('number').orderBy('number').limit(SEALS_PER_BATCH),
    )
    .returning(['number', 'account', 'entry'])
    .execute()
  return taken.toSorted((a, b) => a.number - b.number)
}

async function findEntries(tx: Db, unsealed: readonly Unsealed[]) {
  const idsOf = (isOfSuperusers: boolean) =>
    unsealed
      .filter(({ account }) => (account === SUPERUSERS_LOG) === isOfSuperusers)
      .map(({ entry }) => entry)
  const [ofSuperusers, ofAccounts] = [
    await findAuditEntries(tx, true, idsOf(true)),
    await findAuditEntries(tx, false, idsOf(false)),
  ]
  return new Map([...ofSuperusers, ...ofAccounts])
}

async function findLastNumbers(
  tx: Db,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await queries(tx)
    .selectFrom('_audit_seals')
    .select(({ fn }) => ['account', fn.max('number').as('number')])
    .where('account', '=', matchAny(accounts))
    .groupBy('account')
    .execute()
  return new Map(found.map(({ account, number }) => [account, number]))
}

/** Makes the seals of a batch, and moves the ends of their chains. */
function makeSeals({ key, unsealed, entries, settled }: Batch, ends: Map<string, Chain>): Seal[] {
  return unsealed.map(({ account, entry }) => {
    const end = ends.get(account)!
    const found = entries.get(entry)
    const isFound = found?.account === account
    const row = {
      account,
      entry,
      settled,
      number: end.last_number + 1,
      created: isFound ? found.created : '',
      digest: isFound ? digestEntry(found) : '',
    }
    const seal = computeSeal(key, end.last_seal, row)
    ends.set(account, { ...end, last_number: row.number, last_seal: seal })
    return { ...row, seal }
  })
}

const listSealed = (
  seals: readonly Seal[],
  entries: ReadonlyMap<string, LoggedEntry>,
): SealedEntry[] =>
  seals.flatMap(({ entry, digest, number, seal }) =>
    digest === '' ? [] : [{ ...entries.get(entry)!, number, seal }],
  )

/**
 * Returns the end of a chain whose last stored seal has the number `stored`. If it was changed by hand, the
 * next seal does not continue the chain: the server must not sign what it did not write.
 */
function repairEnd(key: Buffer, end: Chain, stored: number, log: Logger): Chain {
  const isNew = end.signature === '' && stored === 0
  if (isNew || (hasSignedEnds(key, end) && stored <= end.last_number)) return end
  log.error(
    { account: end.account },
    'seals of the audit log were changed: pocketsms doctor --audit',
  )
  return { ...end, last_number: Math.max(stored, end.last_number), last_seal: BROKEN }
}

const readNow = async (tx: Db): Promise<string> =>
  (await queries(tx).selectNoFrom(NOW.as('now')).executeTakeFirstOrThrow()).now
