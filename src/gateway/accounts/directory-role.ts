import { sql } from 'kysely'
import { recordMemberAudit } from '../../engine/auth/write-audit-log.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { createRecord } from '../../engine/records/create-or-update.ts'
import { makeServerRequest, type Role } from '../../engine/request/request.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { type JobKind, planJob } from '../../platform/jobs/job-queue.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { updateRecords } from '../base/message-status.ts'
import { MEMBER_KEY_LENGTH, renewAccount } from './members.ts'
import { makeEndOfAccessJobs } from './required-factors.ts'

/** A directory's statement about a person in an account. */
export interface DirectoryRole {
  readonly account: string
  readonly member: string
  /** The name of the OAuth2 provider, as the field `directory` of `members` has it. */
  readonly directory: string
  /** Null: the person has no role any more. */
  readonly role: Role | null
  /** How long the person may act until the directory must prove the role again. */
  readonly provenForSeconds: number
}

/** `kept`: the role was the same. `left`: there is nothing that this directory may change. */
export type DirectoryOutcome = 'made' | 'changed' | 'kept' | 'removed' | 'left'

/**
 * Gives or takes a role by the directory: makes, changes or deletes the membership, as an owner does by hand.
 * A membership that people or another directory made stays as it is, and so does the owner of the account.
 * In a running transaction, call it for one account only: it locks rows of `users`.
 */
export const setDirectoryRole = (
  { db, catalog }: Store,
  extensions: Extensions,
  asked: DirectoryRole,
): Promise<DirectoryOutcome> =>
  db.transaction(async (tx) => {
    const store = { db: tx, catalog }
    if (!(await lockBoth(tx, asked))) return 'left'
    const known = await findMembership(tx, asked)
    if (known && known.directory !== asked.directory) return 'left'
    if (asked.role === null)
      return known ? removeMember(store, extensions, asked, known.id) : 'left'
    return known ? keepMember(tx, asked, known) : addMember(store, extensions, asked)
  })

/** Locks the account and the member, in the order of all locks of `users`. False if either is gone. */
async function lockBoth(db: Db, { account, member }: DirectoryRole): Promise<boolean> {
  if (account === member) return false
  const locked = await queries(db)
    .selectFrom('users')
    .select('id')
    .where('id', '=', matchAny([account, member]))
    .orderBy('id')
    .forUpdate()
    .execute()
  return locked.length === 2
}

const findMembership = (db: Db, { account, member }: DirectoryRole) =>
  queries(db)
    .selectFrom('members')
    .select(['id', 'role', 'directory'])
    .select(sql<boolean>`proof_is_over(proven_until)`.as('isOver'))
    .where('account', '=', account)
    .where('member', '=', member)
    .executeTakeFirst()
type Membership = NonNullable<Awaited<ReturnType<typeof findMembership>>>

async function addMember(
  store: Store,
  extensions: Extensions,
  asked: DirectoryRole,
): Promise<DirectoryOutcome> {
  const { account, member, role, directory } = asked
  const request = makeServerRequest(store, { account, member, role })
  const members = store.catalog.find('members')!
  const { id } = JSON.parse(await createRecord(store, extensions, members, request)) as {
    id: string
  }
  await updateRecords(store.db, 'members', (update) =>
    update.set({ directory, proven_until: proveFor(asked) }).where('id', '=', id),
  )
  await planProofEnd(store.db, asked, id)
  await note(store.db, asked, 'create', id, ['role', 'directory'])
  return 'made'
}

async function keepMember(
  db: Db,
  asked: DirectoryRole,
  { id, role, isOver }: Membership,
): Promise<DirectoryOutcome> {
  const isSame = role === asked.role
  await updateRecords(db, 'members', (update) =>
    update
      .set({ proven_until: proveFor(asked) })
      .$if(!isSame, (change) =>
        change.set({ role: asked.role!, tokenKey: makeRandomText(MEMBER_KEY_LENGTH) }),
      )
      .where('id', '=', id),
  )
  await planProofEnd(db, asked, id)
  if (isSame && isOver) await renewAccount(db, asked.account)
  if (isSame) return 'kept'
  await note(db, asked, 'update', id, ['role'])
  return 'changed'
}

async function removeMember(
  store: Store,
  extensions: Extensions,
  asked: DirectoryRole,
  id: string,
): Promise<DirectoryOutcome> {
  await deleteRecords(store, extensions, store.catalog.find('members')!, [id])
  await note(store.db, asked, 'delete', id)
  return 'removed'
}

const note = (
  db: Db,
  { account }: DirectoryRole,
  action: string,
  record: string,
  fields: readonly string[] = [],
) => {
  const entry = { action, collection: 'members', record, fields }
  return recordMemberAudit(db, { id: account, sender: record }, entry)
}

/** `proven_until` of a proof by now. */
const proveFor = ({ provenForSeconds: seconds }: DirectoryRole) =>
  sql<string>`pb_text(${writeTimeInSeconds(seconds)})`

/** The job ends what a member does when the proof is over. The key is the membership's id. */
const JOB = 'directory_proof'

async function planProofEnd(
  db: Db,
  { account, provenForSeconds: seconds }: DirectoryRole,
  membership: string,
): Promise<void> {
  const due_at = writeTimeInSeconds(seconds)
  await planJob(db, { kind: JOB, holder: account, key: membership, due_at })
}

export const makeProofJobs = (openStore: (account: string) => Store): JobKind =>
  makeEndOfAccessJobs(JOB, openStore)
