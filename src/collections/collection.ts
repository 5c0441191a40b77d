import { accountHolder, type Holder } from '../admission/holder.ts'
import type { Field } from '../fields/field.ts'
import type { AuthOptions } from './auth-shape.ts'

export type CollectionType = 'base' | 'auth' | 'view'
export type RuleName = 'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule'
/** null: superusers only; '': everyone; else a filter. */
export type Rule = string | null

interface CollectionBase {
  id: string
  name: string
  system: boolean
  listRule: Rule
  viewRule: Rule
  createRule: Rule
  updateRule: Rule
  deleteRule: Rule
  fields: Field[]
  indexes: string[]
  created: string
  updated: string
  /** An internal table presented as a collection. Stored collections do not have this. */
  isInternal?: true
}
export interface BaseCollection extends CollectionBase {
  type: 'base'
}
export interface ViewCollection extends CollectionBase {
  type: 'view'
  viewQuery: string
}
export interface AuthCollection extends CollectionBase, AuthOptions {
  type: 'auth'
}

/** A collection as stored, in PocketBase's export format, with secrets. Immutable. */
export type Collection = BaseCollection | ViewCollection | AuthCollection

export const SUPERUSERS = '_superusers'

/** The id of `users`, as PocketBase has it. */
export const USERS_ID = '_pb_users_auth_'

/** The holder for limits of a user, also for the user's devices, keys and members. */
export const userHolder = (user: string): Holder => accountHolder(USERS_ID, user)

export const DEVICES_ID = 'devices'
