import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { INSTANT, INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import { logChanges } from '../../engine/records/log-changes.ts'
import { tooManyTries } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Person } from '../base/personal-data.ts'

/** Kind of the jobs that work on requests. A job's key is the id of the request. */
export const PERSON_JOB = 'person'

/** Maximum requests of an account that wait or run, and exports of the whole account in an hour. */
const MAX_OPEN = 20
const MAX_WHOLE = 3
const HOUR_SECONDS = 3_600

export type RequestKind = 'export' | 'erasure'

export const PERSON_REQUEST = z
  .object({
    id: z.string().describe('The id of a record of `person_requests`.'),
    kind: z.enum(['export', 'erasure']),
    number: z
      .string()
      .describe(
        'The number of the person; empty for a whole account, and after the person was erased.',
      ),
    state: z.enum(['waiting', 'running', 'done', 'failed']),
    error: z.string().describe('Why the request failed.'),
    progress: z.int().min(0).max(100).describe('How many percent of the work are done.'),
    counts: z.record(z.string(), z.int()).describe('Rows by place, once the request is done.'),
    files: z
      .array(z.string())
      .describe('Names of the files: `GET /api/files/person_requests/{id}/{name}` gets one.'),
    created: INSTANT,
    expires_at: INSTANT_OR_EMPTY.describe('When the files are deleted.'),
  })
  .meta({ id: 'PersonRequest' })
export type PersonRequest = z.output<typeof PERSON_REQUEST>

const SHOWN = [
  'id',
  'kind',
  'number',
  'state',
  'error',
  'progress',
  'counts',
  'files',
  'created',
  'expires_at',
] as const

const renderRequest = (
  row: Pick<Selectable<Tables['person_requests']>, (typeof SHOWN)[number]>,
): PersonRequest => ({
  ...row,
  counts: JSON.parse(row.counts ?? 'null') ?? {},
})

/** The sender of a request (the id of a record of `senders`), and the reason. */
export interface Asked {
  readonly sender: string
  readonly reason: string
}

/** Stores a request and queues its job. Throws RetryLater if too many requests of the account wait. */
export async function addRequest(
  db: Db,
  kind: RequestKind,
  { user, number }: Person,
  { sender, reason }: Asked,
): Promise<PersonRequest> {
  const id = makeRandomId()
  await requireRequestRoom(db, user, kind === 'export' && number === '')
  const made = await queries(db)
    .with('written', (query) =>
      query
        .insertInto('person_requests')
        .values({
          id,
          user,
          kind,
          number,
          reason,
          hash: number === '' ? '' : sql`person_hash(${user}, ${number})`,
          asked_by: sender,
          state: 'waiting',
          progress: 0,
          counts: '{}',
          created: NOW,
          updated: NOW,
        })
        .returningAll(),
    )
    .with('queued', (query) =>
      query.insertInto('_jobs').values({ kind: PERSON_JOB, holder: user, key: id }),
    )
    .with('noted', logChanges('create', 'person_requests', 'ids'))
    .selectFrom('written')
    .select([...SHOWN])
    .executeTakeFirstOrThrow()
  return renderRequest(made)
}

async function requireRequestRoom(db: Db, user: string, isWhole: boolean): Promise<void> {
  const { open } = await queries(db)
    .selectFrom('_jobs')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('kind', '=', PERSON_JOB)
    .where('holder', '=', user)
    .where('dead_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (open >= MAX_OPEN)
    throw tooManyTries(60, `${MAX_OPEN} requests about persons wait. Try again when one is done.`)
  if (isWhole && (await countAllRequests(db, user)) >= MAX_WHOLE)
    throw tooManyTries(HOUR_SECONDS, `The account was exported ${MAX_WHOLE} times in an hour.`)
}

/** Exports of the whole account in the last hour, in any state. */
async function countAllRequests(db: Db, user: string): Promise<number> {
  const { made } = await queries(db)
    .selectFrom('person_requests')
    .select(({ fn }) => fn.countAll<number>().as('made'))
    .where('user', '=', user)
    .where('kind', '=', 'export')
    .where('hash', '=', '')
    .where('created', '>', sql<string>`pb_text(now() - interval '1 hour')`)
    .executeTakeFirstOrThrow()
  return Number(made)
}

/** An export that need not be made again: it is under way, or has files and is not older than ten minutes. */
export async function findRecentExport(
  db: Db,
  { user, number }: Person,
): Promise<PersonRequest | undefined> {
  const found = await queries(db)
    .selectFrom('person_requests')
    .select([...SHOWN])
    .where('user', '=', user)
    .where('number', '=', number)
    // the request about an erased person has lost its number
    .where('hash', number === '' ? '=' : '<>', '')
    .where('kind', '=', 'export')
    .where('created', '>', sql<string>`pb_text(now() - interval '1 day')`)
    .where(sql<boolean>`(state in ('waiting', 'running')
      or state = 'done' and files <> '{}' and done_at > pb_text(now() - interval '10 minutes'))`)
    .orderBy('created', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found && renderRequest(found)
}

/** The files of an export that failed are deleted: a trigger does this for files without a name. */
export const failRequest = (db: Db, id: string, error: string) =>
  updateRecords(db, 'person_requests', (update) =>
    update.set({ state: 'failed', error, files: [], done_at: NOW }).where('id', '=', id),
  )
