import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { logChanges } from '../../engine/records/log-changes.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'

/** The origin of an entry of `consents`. The server alone writes `keyword` and `reply`: a person's texts. */
type ConsentSource = 'keyword' | 'page' | 'api' | 'import' | 'console' | 'reply'

/** The proof of a change of consent: fields of an entry of `consents`, by their column names. */
export interface ConsentProof {
  readonly source: ConsentSource
  /** The text to which the person agreed, and the version of it. */
  readonly shown?: string
  readonly version?: string
  /** The person's own text, and the message that brought it. */
  readonly said?: string
  readonly message?: string
  /** The network address and the browser of the person. */
  readonly address?: string
  readonly browser?: string
  /** The id of a record of `senders`: the person or key that entered it. */
  readonly entered_by?: string
}

/** The version of a text that has no name for it: a hash of the text, '' for an empty text. */
export const hashShownText = (shown: string): string =>
  shown === '' ? '' : createHash('sha256').update(shown).digest('hex').slice(0, 12)

const setConsentProof = (db: Db, proof: string) =>
  callFunction(db, 'set_config', 'pocketsms.consent', proof, true)

/**
 * Gives the entries that changes of contacts' `opted_out` add to `consents` their proof (the trigger
 * contacts_consented), until the transaction `db` ends or another proof is given.
 */
export const attachConsentProof = async (db: Db, proof: ConsentProof): Promise<void> => {
  await setConsentProof(db, JSON.stringify(proof))
}

/** Runs `work`, whose changes of `opted_out` have this proof. `db`: a transaction. */
export async function withConsentProof<T>(
  db: Db,
  proof: ConsentProof,
  work: () => Promise<T>,
): Promise<T> {
  await attachConsentProof(db, proof)
  const done = await work()
  await setConsentProof(db, '')
  return done
}

const NAMED: ReadonlySet<string> = new Set<ConsentSource>(['console', 'import', 'page', 'api'])

/**
 * The source that a client names, in the header `Consent-Source` unless it is given; `api` without one. Never
 * `page` for a superuser, whom no entry names: it would be the server's own entry.
 */
export function readConsentSource(
  request: Pick<RequestInfo, 'headers' | 'auth'>,
  given = '',
): ConsentSource {
  const named = given || readNamedSource(request)
  if (!NAMED.has(named) || (named === 'page' && findEnteringSender(request) === '')) return 'api'
  return named as ConsentSource
}

const readNamedSource = (request: Pick<RequestInfo, 'headers'>): string =>
  request.headers().consent_source ?? ''

/** Throws 400 for a source of an entry that is none, in the field or in the header. */
export function checkConsentSource(request: Pick<RequestInfo, 'headers'>, given: string): void {
  const named = given || readNamedSource(request)
  if (named === '' || NAMED.has(named)) return
  const message = `Must be one of ${[...NAMED].join(', ')}.`
  throw invalidFields({ source: makeFieldError('validation_invalid_source', message) })
}

/** The id of the record of `senders` that makes a request; '' for a superuser and the server itself. */
export const findEnteringSender = ({ auth }: Pick<RequestInfo, 'auth'>): string =>
  auth && !auth.isSuperuser ? auth.sender : ''

/** An entry that the server adds by itself. The trigger consents_applied changes states and the contact. */
export interface Entry extends ConsentProof {
  /** The id of the text that asks the question of the entry; '' for an entry without a question. */
  readonly id?: string
  readonly user: string
  readonly number: string
  readonly event: 'opt_in' | 'confirmed' | 'opt_out' | 'imported'
  /** The id of a group. Its name becomes the purpose. */
  readonly group: string
}

export async function addConsentEntry(db: Db, entry: Entry): Promise<void> {
  const {
    id = sql<string>`pb_new_id()`,
    user,
    number,
    group,
    event,
    source,
    shown = '',
    version,
    ...more
  } = entry
  const contact = sql<string>`coalesce((select c.id from contacts c where c."user" = ${user} and c.phone = ${number}), '')`
  const purpose = sql<string>`coalesce((select g.name from contact_groups g where g.id = ${group}), 'all')`
  await queries(db)
    .with('written', (query) =>
      query
        .insertInto('consents')
        .values({
          id,
          user,
          contact,
          number,
          purpose,
          group,
          event,
          source,
          shown,
          ...more,
          version: version || hashShownText(shown),
          created: NOW,
        })
        .returningAll(),
    )
    .with('noted', logChanges('create', 'consents'))
    .selectFrom('written')
    .execute()
}

/**
 * Adds the entry of a person whom the server asks to confirm: the state becomes `asked`. `db`: a transaction.
 */
export async function addConsentQuestion(db: Db, entry: Omit<Entry, 'event'>): Promise<void> {
  const setAsks = (value: string) => callFunction(db, 'set_config', 'pocketsms.asks', value, true)
  await setAsks('yes')
  await addConsentEntry(db, { ...entry, event: 'opt_in' })
  await setAsks('')
}
