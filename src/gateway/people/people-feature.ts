import { strict } from '../../engine/records/collection-extension.ts'
import type { Services } from '../../http/context.ts'
import { EVERY_TEN_MINUTES, type Feature, type QueuedServices } from '../base/feature.ts'
import { type Sending, sendingFor } from '../messages/send/sending.ts'
import { cleanUpRequests } from './clean-up.ts'
import { contactsExtension } from './contacts-extension.ts'
import { personJobs } from './jobs.ts'
import { personPaths, personRoutes } from './routes.ts'

/** Contacts, and the export and erasure of one person's data. */
export const PEOPLE: Feature<Services, QueuedServices & { readonly sending: Sending }> = {
  routes: [['/api', personRoutes]],
  api: { roots: ['/api/contacts', '/api/person'], group: 'other', isOwn: true },
  changingGets: ['/api/contacts/:id/data'],
  rights: {
    'POST /api/account/data': 'admin',
    'GET /api/contacts/:id/data': 'admin',
    'POST /api/contacts/:id/erase': 'admin',
    'POST /api/person/data': 'admin',
    'POST /api/person/erase': 'admin',
  },
  paths: personPaths,
  extensions: () => ({
    contacts: contactsExtension,
    contact_groups: strict(),
    person_requests: strict(),
  }),
  timed: ({ store }) => [{ id: 'personCleanUp', ...EVERY_TEN_MINUTES, run: () => cleanUpRequests(store.db) }],
  queued: ({ store, sending }) => [personJobs(sendingFor(store, sending))],
}
