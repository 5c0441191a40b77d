import { createHmac } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'
import type { Tables } from '../../../platform/db/tables.ts'

/** The purpose of the server's key that makes seals and signs the ends of chains. */
export const SEAL_PURPOSE = 'audit seals'

/** Stands for the seal before the next one, if somebody changed the end of the seals by hand. */
export const BROKEN = 'broken'

/** Seals that are read or made at a time. */
export const SEALS_PER_BATCH = 1_000

export type Seal = Readonly<Selectable<Tables['_audit_seals']>>
/** A row of `_audit_chains`: the ends of the seals of one account, or of superusers. */
export type Chain = Readonly<Selectable<Tables['_audit_chains']>>

const hash = (key: Buffer, parts: readonly (string | number)[]) =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64')

export function computeSeal(key: Buffer, previous: string, row: Omit<Seal, 'seal'>): string {
  const { account, number, entry, created, settled, digest } = row
  return hash(key, ['seal', previous, account, number, entry, created, settled, digest])
}

function computeSignature(key: Buffer, chain: Omit<Chain, 'signature'>): string {
  const { account, first_number, first_seal, last_number, last_seal, chains, settled } = chain
  const ends = [first_number, first_seal, last_number, last_seal]
  return hash(key, ['chain', account, ...ends, chains, settled])
}

/** Whether the server has written the ends of a chain, not somebody by hand. */
export const hasSignedEnds = (key: Buffer, chain: Chain): boolean =>
  chain.signature === computeSignature(key, chain)

export const makeChain = (account: string): Chain => ({
  account,
  first_number: 0,
  first_seal: '',
  last_number: 0,
  last_seal: '',
  chains: 0,
  settled: '',
  signature: '',
})

/** Finds chains by their accounts, and locks them until the transaction ends. */
export async function lockChains(db: Db, accounts: readonly string[]): Promise<Map<string, Chain>> {
  const found = await queries(db)
    .selectFrom('_audit_chains')
    .selectAll()
    .where('account', '=', matchAny(accounts))
    .orderBy('account')
    .forUpdate()
    .execute()
  return new Map(found.map((chain) => [chain.account, chain]))
}

/** SQL of rows to store in a table, in the order of its columns. */
const makeRows = <Table extends '_audit_chains' | '_audit_seals'>(
  table: Table,
  rows: readonly Selectable<Tables[Table]>[],
) =>
  sql<Selectable<Tables[Table]>>`json_populate_recordset(
    null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.as('made')

export async function storeSeals(db: Db, seals: readonly Seal[]): Promise<void> {
  if (seals.length === 0) return
  await queries(db)
    .insertInto('_audit_seals')
    .expression((from) => from.selectFrom(makeRows('_audit_seals', seals)).selectAll())
    .execute()
}

export async function storeChains(db: Db, key: Buffer, chains: readonly Chain[]): Promise<void> {
  if (chains.length === 0) return
  const signed = chains.map((chain) => ({ ...chain, signature: computeSignature(key, chain) }))
  await queries(db)
    .insertInto('_audit_chains')
    .expression((from) => from.selectFrom(makeRows('_audit_chains', signed)).selectAll())
    .onConflict((known) =>
      known.column('account').doUpdateSet(({ ref }) => ({
        first_number: ref('excluded.first_number'),
        first_seal: ref('excluded.first_seal'),
        last_number: ref('excluded.last_number'),
        last_seal: ref('excluded.last_seal'),
        chains: ref('excluded.chains'),
        settled: ref('excluded.settled'),
        signature: ref('excluded.signature'),
      })),
    )
    .execute()
}

/** The next seals of a chain, in order. */
export const loadSeals = (db: Db, account: string, after: number): Promise<Seal[]> =>
  queries(db)
    .selectFrom('_audit_seals')
    .selectAll()
    .where('account', '=', account)
    .where('number', '>', after)
    .orderBy('number')
    .limit(SEALS_PER_BATCH)
    .execute()
