import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { EVERY_TEN_MINUTES, type Feature, type QueuedServices } from '../base/feature.ts'
import { makeUserSending, type Sending } from '../messages/send/make-user-sending.ts'
import { contactFieldsExtension } from './contact-fields-extension.ts'
import { contactsExtension } from './contacts-extension.ts'
import { cleanUpRequests } from './delete-old-exports.ts'
import { makePersonJobs } from './person-jobs.ts'
import { PEOPLE_DATA } from './personal-data.ts'
import type { HasPersonalData } from './personal-tables.ts'
import { PERSON_ROUTES, type PersonServices } from './routes.ts'

/** Contacts, and the export and erasure of one person's data. */
export const PEOPLE: Feature<
  PersonServices,
  QueuedServices & HasPersonalData & { readonly sending: Sending }
> = {
  rows: PERSON_ROUTES,
  api: { roots: ['/api/contacts', '/api/person'], group: 'other', isOwn: true },
  personalData: PEOPLE_DATA,
  extensions: () => ({
    contacts: contactsExtension,
    contact_fields: makeStrictExtension(contactFieldsExtension),
    contact_groups: makeStrictExtension({}),
    person_requests: makeStrictExtension({}),
  }),
  timed: ({ store }) => [
    { id: 'personCleanUp', ...EVERY_TEN_MINUTES, run: () => cleanUpRequests(store.db) },
  ],
  queued: ({ store, sending, personalData }) => [
    makePersonJobs(makeUserSending(store, sending), personalData),
  ],
}
