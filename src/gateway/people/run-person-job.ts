import type { Store } from '../../engine/collections/catalog.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Again, Job } from '../../platform/jobs/job-queue.ts'
import type { OptWords } from '../../portable/read-opt-word.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Person } from '../base/personal-data.ts'
import { joinNumber } from '../conversations/join-national-number.ts'
import { isJoinable, readNationalNumbers } from '../conversations/national-numbers.ts'
import { eraseData } from './erase-person.ts'
import { exportData } from './export-person.ts'
import { listExportedPlaces } from './export-portion.ts'
import { findPerson, makeEveryPerson } from './person.ts'
import { listAccountPlaces } from './personal-account-tables.ts'
import type { HasPersonalData } from './personal-tables.ts'
import { failRequest } from './requests.ts'
import { loadJobProgress } from './save-job-progress.ts'

export interface PersonJobServices extends HasPersonalData {
  readonly store: Store
  readonly extensions: Extensions
  readonly config: Pick<Config, 'maxAccountFileBytes' | 'optWords'>
}

/** Exports or erases the data of a person: from the beginning, or from where an earlier run ended. */
export async function runPersonJob(
  services: PersonJobServices,
  job: Job,
  signal: AbortSignal,
): Promise<Again | undefined> {
  const { store, config, personalData } = services
  const { key: id, holder: user } = job
  const request = await beginRequest(store.db, id)
  if (!request) return
  const person = request.number === '' ? undefined : await findPerson(store, user, request.number)
  if (person && !(await loadJobProgress(store.db, id)))
    await joinNumbers(store, person, config.optWords)
  if (request.kind === 'erasure') return eraseData(services, id, person, signal)
  if (!person && request.hash !== '') return void (await failRequest(store.db, id, ERASED))
  const { maxAccountFileBytes: maxBytes } = config
  const owner = { id: user, maxBytes }
  if (person)
    return exportData(
      store,
      { request: id, owner, person, places: listExportedPlaces(store.catalog, personalData) },
      signal,
    )
  // the other half stays for the files of texts that are received meanwhile
  const half = { id: user, maxBytes: Math.floor(maxBytes / 2) }
  const places = listAccountPlaces(store.catalog)
  return exportData(
    store,
    { request: id, owner: half, person: makeEveryPerson(user), places },
    signal,
  )
}

/** Moves what is stored under other forms of the number, such as national ones, to the number. */
async function joinNumbers(store: Store, { user, number }: Person, words: OptWords): Promise<void> {
  for await (const page of readNationalNumbers(store.db, user))
    for (const one of page)
      if (isJoinable(one) && [one, ...one.texts].some(({ phone }) => phone === number))
        await joinNumber(store, user, one, words)
}

/** Begins or continues a request; undefined if the request has ended or was deleted. */
async function beginRequest(db: Db, id: string) {
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ state: 'running' }).where('id', '=', id).where('state', '=', 'waiting'),
  )
  return queries(db)
    .selectFrom('person_requests')
    .select(['kind', 'number', 'hash'])
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst()
}

const ERASED = 'The person was erased meanwhile.'
