import { sql } from 'kysely'
import type { Catalog } from '../../engine/collections/catalog.ts'
import { type Collection, USERS_ID } from '../../engine/collections/collection.ts'
import { toColumnName } from '../../engine/collections/sql-names.ts'
import { findReferencesTo } from '../../engine/records/references.ts'
import { isShown } from '../../engine/records/shown-fields.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { makePlace, type Place } from '../base/personal-data.ts'
import { isNamed } from './export-page.ts'

const OF_ACCOUNT: ReadonlySet<string> = new Set(['members', 'member_invitations'])
/** The field that names the account. `member` names a person, who may be a member of other accounts, too. */
const findOwnerField = (collection: string) => (OF_ACCOUNT.has(collection) ? 'account' : 'user')

/** The columns of the fields that the record API shows to an admin of the account. */
export const listShownColumns = (collection: Collection): string[] =>
  collection.fields
    .filter((field) => isShown(collection, field, false, false) && field.type !== 'password')
    .map(({ name }) => toColumnName(name))

/** Fields that only programs use. */
const INTERNAL: ReadonlySet<string> = new Set([
  'api_key',
  'app_hash',
  'batch_id',
  'batches',
  'client_ref',
  'counts',
  'event_id',
  'external_id',
  'files',
  'guarantee',
  'hash',
  'id',
  'key',
  'last_message',
  'messages',
  'priority',
  'progress',
  'record',
  'revision',
  'smsgate_id',
  'version',
])

/** The columns for people. Of other records the page shows only names. */
const listReadableColumns = ({ fields }: Collection, shown: readonly string[]): string[] => {
  const links = fields
    .filter(({ type }) => type === 'relation')
    .map(({ name }) => toColumnName(name))
  return shown.filter(
    (column) => !INTERNAL.has(column) && (isNamed(column) || !links.includes(column)),
  )
}

/**
 * The places of a whole account: its own record, and the built-in collections whose records are deleted with
 * it. They show the fields that the record API shows to an admin of the account.
 */
export function listAccountPlaces(catalog: Catalog): Place[] {
  const users = catalog.find(USERS_ID)!
  const owned = findReferencesTo(catalog, users)
    .filter(
      ({ collection, field }) =>
        field.cascadeDelete && field.name === findOwnerField(collection.name),
    )
    .map(({ collection, field }) => [collection, field.name] as const)
  return [[users, 'id'] as const, ...owned]
    .filter(([collection]) => catalog.isBuiltIn(collection))
    .map(([collection, owner]) => {
      const shown = listShownColumns(collection)
      return makePlace({
        table: collection.name as keyof Tables,
        title: collection.name.replaceAll('_', ' '),
        rows: ({ user }) => sql`(${sql.ref(`t.${owner}`)} = ${user})`,
        shown,
        onPage: listReadableColumns(collection, shown),
        erasure: 'records',
      })
    })
}
