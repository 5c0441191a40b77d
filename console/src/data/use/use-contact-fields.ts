import type { ContactField } from '../record-types.ts'
import { type List, useList } from './use-list.ts'

/** The server's maximum for an account. */
const MOST_FIELDS = 100

/** The fields that the account has defined, the oldest first. `ready`: false reads nothing yet. */
export const useContactFields = (ready = true): List<ContactField> =>
  useList<ContactField>('contact_fields', { sort: '@rowid', perPage: MOST_FIELDS, ready })
