import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { findPurposeKey } from '../../../platform/db/secrets.ts'
import { digestEntry, findAuditEntries, type LoggedEntry, SUPERUSERS_LOG } from './audit-entries.ts'
import {
  BROKEN,
  type Chain,
  computeSeal,
  hasSignedEnds,
  loadSeals,
  SEAL_PURPOSE,
  type Seal,
} from './audit-seals.ts'

/** Entries are committed within this time. One that is older when it gets its seal was added by hand. */
const LATEST_COMMIT_MS = 3_600_000

const CHAINS_PER_PAGE = 1_000
/** Maximum entries without a seal that a report names. */
const STRAYS_SHOWN = 100

/** Ends of a sentence that begins with `entry 5 was`: what somebody did by hand. */
const FAULTS = {
  added: 'added by hand, with an earlier date',
  changed: 'changed',
  continued: 'sealed after the end of the seals had been changed by hand',
  moved: 'moved to another log',
  removed: 'removed',
  resealed: 'given another seal',
  sealAdded: 'added by hand, with a seal',
  sealRemoved: 'removed from the seals',
} as const

/** A fault of one entry, or of several with consecutive numbers. */
interface AuditFault {
  readonly kind: keyof typeof FAULTS
  readonly from: number
  readonly to: number
}

/**
 * Compares all entries of the audit logs with their seals. Yields a sentence for each fault, and returns how
 * many entries have seals. `db`: a transaction whose statements all see the same rows.
 */
export async function* checkAuditLogs(db: Db): AsyncGenerator<string, number> {
  const key = await findPurposeKey(db, SEAL_PURPOSE)
  const superusers = await findChain(db, SUPERUSERS_LOG)
  if (!key || !superusers) {
    // a server makes its first seals after a minute
    const [stray] = await findStrayEntries(db, 1)
    if (stray)
      yield 'No entry has a seal, but not all wait for one: the seals were removed by hand.'
    return 0
  }
  let [chains, sealed] = [0, 0]
  for await (const chain of readChains(db)) {
    chains++
    sealed += chain.last_number - chain.first_number
    yield* checkChain(db, key, chain)
  }
  if (chains !== superusers.chains)
    yield `There are seals of ${chains} logs, but there must be ${superusers.chains}: all seals of a log were removed or added by hand.`
  yield* findStrayRows(db)
  return sealed
}

const findChain = (db: Db, account: string): Promise<Chain | undefined> =>
  queries(db)
    .selectFrom('_audit_chains')
    .selectAll()
    .where('account', '=', account)
    .executeTakeFirst()

async function* readChains(db: Db): AsyncGenerator<Chain> {
  for (let page: Chain[], after: string | null = null; ; after = page.at(-1)!.account) {
    page = await queries(db)
      .selectFrom('_audit_chains')
      .selectAll()
      .where(sql<boolean>`${after}::text is null or account > ${after}::text`)
      .orderBy('account')
      .limit(CHAINS_PER_PAGE)
      .execute()
    yield* page
    if (page.length < CHAINS_PER_PAGE) return
  }
}

async function* checkChain(db: Db, key: Buffer, chain: Chain): AsyncGenerator<string> {
  const log = nameLog(chain.account)
  if (!hasSignedEnds(key, chain)) yield `${log}: the ends of the seals were changed.`
  for await (const { kind, from, to } of joinFaults(findFaults(db, key, chain))) {
    const entries = from === to ? `entry ${from} was` : `entries ${from} to ${to} were`
    yield `${log}: ${entries} ${FAULTS[kind]}.`
  }
}

const nameLog = (account: string) =>
  account === SUPERUSERS_LOG ? 'Log of superusers' : `Log of the account ${account}`

/** Compares the seals of a log with each other, with the entries and with the signed ends. */
async function* findFaults(db: Db, key: Buffer, chain: Chain): AsyncGenerator<AuditFault> {
  let [number, previous] = [chain.first_number, chain.first_seal]
  for await (const { row, entry } of readSealed(db, chain)) {
    const { number: at } = row
    if (at > number + 1) yield { kind: 'sealRemoved', from: number + 1, to: at - 1 }
    else if (row.seal === computeSeal(key, BROKEN, row))
      yield { kind: 'continued', from: at, to: at }
    else if (row.seal !== computeSeal(key, previous, row))
      yield { kind: at > chain.last_number ? 'sealAdded' : 'resealed', from: at, to: at }
    const kind = findEntryFault(row, entry)
    if (kind) yield { kind, from: at, to: at }
    ;[number, previous] = [at, row.seal]
  }
  const last = chain.last_number
  if (number < last) yield { kind: 'sealRemoved', from: number + 1, to: last }
  else if (number === last && previous !== chain.last_seal)
    yield { kind: 'resealed', from: last, to: last }
}

/** The seals of a log in order, with their entries. */
async function* readSealed(db: Db, { account, first_number }: Chain) {
  for (let page: Seal[], after = first_number; ; after = page.at(-1)!.number) {
    page = await loadSeals(db, account, after)
    if (page.length === 0) return
    const ids = page.map(({ entry }) => entry)
    const entries = await findAuditEntries(db, account === SUPERUSERS_LOG, ids)
    for (const row of page) yield { row, entry: entries.get(row.entry) }
  }
}

function findEntryFault(row: Seal, entry: LoggedEntry | undefined): AuditFault['kind'] | undefined {
  if (!entry || row.digest === '') return 'removed'
  if (entry.account !== row.account) return 'moved'
  if (digestEntry(entry) !== row.digest) return 'changed'
  const isLate = row.settled !== '' && toMs(row.created) < toMs(row.settled) - LATEST_COMMIT_MS
  return isLate ? 'added' : undefined
}

const toMs = (date: string) => Date.parse(date.replace(' ', 'T'))

async function* joinFaults(faults: AsyncGenerator<AuditFault>): AsyncGenerator<AuditFault> {
  let open: AuditFault | undefined
  for await (const fault of faults) {
    const continues = open?.kind === fault.kind && open.to + 1 === fault.from
    if (open && !continues) yield open
    open = continues ? { ...open!, to: fault.to } : fault
  }
  if (open) yield open
}

/** Entries without a seal that do not wait for one. */
const findStrayEntries = (db: Db, most: number) =>
  queries(db, 'planned')
    .selectFrom(({ selectFrom }) =>
      selectFrom('_audit')
        .select(['id', sql.lit(SUPERUSERS_LOG).as('account')])
        .unionAll(selectFrom('account_audit').select(['id', 'user as account']))
        .as('e'),
    )
    .select(['e.id', 'e.account'])
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('_audit_seals as s').whereRef('s.entry', '=', 'e.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('_audit_unsealed as u').whereRef('u.entry', '=', 'e.id'))),
    )
    .limit(most)
    .execute()

/** Looks for entries without a seal that no transaction has queued, and for seals of no chain. */
async function* findStrayRows(db: Db): AsyncGenerator<string> {
  for (const { id, account } of await findStrayEntries(db, STRAYS_SHOWN))
    yield `${nameLog(account)}: the entry ${id} was added by hand, or its seal was removed.`
  const lost = await queries(db)
    .selectFrom('_audit_seals as s')
    .select('s.account')
    .distinct()
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('_audit_chains as c').whereRef('c.account', '=', 's.account'))),
    )
    .limit(STRAYS_SHOWN)
    .execute()
  for (const { account } of lost) yield `${nameLog(account)}: the ends of the seals were removed.`
}
